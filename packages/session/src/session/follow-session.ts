import { readConversation } from '../conversation/open-conversation.js';
import type { AgentSessionError } from '../errors/agent-session-error.js';
import { disposedError } from '../errors/disposed-error.js';
import type { RespondOutcome } from '../guards/decision.js';
import { resolvePorts, type GivenPorts, type Ports } from '../ports/ports.js';
import { signal } from '../signals/signals-core.js';
import { savedConversationOf } from '../state/saved-conversation-of.js';
import { initialState } from '../state/initial-state.js';
import type { Words } from '../words/create-words.js';
import type { AgentSession } from './agent-session.js';
import { command } from './command.js';
import { commandsThat, type CommandName, type FollowedCommand } from './command-table.js';
import { Follower } from './follower.js';
import { interruptOpenWork } from './interrupt-open-work.js';
import { defaultLimits } from '../limits/limits.js';
import { readOnlyLine, type Line } from './line.js';
import { MessageFiles } from './message-files.js';
import { LogTail, type ReadAfter } from './log-tail.js';
import { isLogGone } from './lost-log.js';
import { postWhenListening } from './post-when-listening.js';
import { SessionCore } from './session-core.js';
import type { Link, LogChannel } from './session-log.js';
import { sessionObject, type SessionHandle } from './session-object.js';
import { createOutputs } from './session-outputs.js';
import { setLink } from './set-link.js';

/** How to reach a session that runs elsewhere. */
export interface FollowOptions {
  /** Reads the log of that session. The session is open after the first item was read. */
  readonly read: ReadAfter;
  /** Takes commands to that session, and brings their receipts back. */
  readonly channel: LogChannel;
  /** The words for the user, made with `createWords`, as they appear in the signals. Default: the English words. */
  readonly words?: Words | undefined;
  /** The ports that the session uses; it has no journal. Default: the ports of the platform. */
  readonly ports?: Omit<GivenPorts, 'journal'> | undefined;
}

/**
 * Returns a session object for a session that runs elsewhere. Its state is the fold of the log that `read` delivers, and its commands are
 * posted to `channel`. `dispose` stops the reading and the messages; the session elsewhere goes on.
 *
 * @example
 * const session = followSession({ read: (after, signal) => readRecords(after, signal), channel });
 */
export function followSession(options: FollowOptions): AgentSession {
  const { read, words, ports: given } = options;
  const channel = postWhenListening(options.channel);
  const ports = resolvePorts(given);
  const link = signal<Link>({ role: 'follower', open: false, saved: true });
  let line: Line;
  const pass: Pass = <R>(name: CommandName, args: readonly unknown[]) => line.pass(name, args, none<R>);
  const outputs = createOutputs(initialState(), ports, {
    respond: command((...args) => pass<RespondOutcome>('respond', args)),
    words,
  });
  const core = new SessionCore(ports, outputs.shown.empty, outputs);
  core.showState();
  const nextId = () => ports.ids.next('command');
  const follower = new Follower({ channel, core, owner: null, nextId, released: () => {} });
  line = follower;
  const tail = new LogTail({
    read: (after, signal) => eachWith(read(after, signal), () => setLink(link, { open: true }, ports)),
    clock: ports.clock,
    core,
    readSaved: readConversation,
    beforeFold: (operations) => follower.beforeFold(operations),
    beforeReplace: (state) => follower.beforeReplace(state),
    unreadable: (problem) => {
      end(problem);
      if (isLogGone(problem)) interruptOpenWork(core, ports.clock, tail.epoch + 1);
      setLink(link, { role: 'read-only', open: true, saved: !isLogGone(problem) }, ports);
      ports.reportError(problem);
    },
  });
  const end = (reason: AgentSessionError) => {
    tail.stop();
    follower.abort(reason);
    line = readOnlyLine(reason);
  };
  tail.start({ revision: 0, epoch: 0 });
  const reads = readCommands(pass, { core, ports, signal: follower.signal });
  const handle: SessionHandle = {
    outputs,
    link,
    ports,
    call: (name, args) =>
      name in reads
        ? (reads[name as ReadCommand] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
        : pass(name, args),
    save: () => savedConversationOf(core.state),
    async dispose() {
      end(disposedError());
      core.close();
    },
  };
  return sessionObject<AgentSession, FollowedCommand>(handle, followed, {});
}

const followed = commandsThat<FollowedCommand>(({ stays }) => !stays);

/** The commands with messages, whose files are read before the command is sent, and `cancel`, which ends the reading. */
type ReadCommand = 'send' | 'edit' | 'enqueue' | 'steer' | 'requeue' | 'cancel';

/** Sends a command to the session elsewhere. */
type Pass = <R>(name: CommandName, args: readonly unknown[]) => Promise<R>;

/** Passed as `run`, because this session carries out no command itself. */
function none<R>(): Promise<R> {
  return Promise.reject(new Error('There is no way to the session.'));
}

/** Returns the commands whose files are read here, within the default limits, because the limits of the session are not known here. */
function readCommands(
  pass: Pass,
  parts: { readonly core: SessionCore; readonly ports: Ports; readonly signal: AbortSignal },
): Pick<AgentSession, ReadCommand> {
  const readings = readingsOf(parts.core);
  const files = new MessageFiles({ ...parts, limits: () => defaultLimits, hold: readings.hold });
  return {
    send: (input, ...rest) => files.turn(input, rest[0], ({ sent }) => pass('send', [sent, ...rest])),
    edit: (turnId, input, ...rest) =>
      files.turn(input, undefined, ({ sent }) => pass('edit', [turnId, sent, ...rest])),
    enqueue: (input, ...rest) =>
      files.ordered(input, rest[0], (read) => pass('enqueue', [read?.sent ?? input, ...rest])),
    steer: (input) => files.ordered(input, undefined, (read) => pass('steer', [read?.sent ?? input])),
    requeue: (id, change) =>
      files.ordered(change?.input, undefined, (read) =>
        pass('requeue', [id, read === undefined ? change : { ...change, input: read.sent }]),
      ),
    cancel(...args) {
      readings.cancel();
      return pass('cancel', args);
    },
  };
}

/** Keeps turns waiting while their files are read. Such a turn is shown as starting, and a cancel ends it. */
function readingsOf(core: SessionCore) {
  let aborter = new AbortController();
  return {
    async hold<T, R>(read: (signal: AbortSignal) => Promise<T>, run: (read: T) => Promise<R>): Promise<R> {
      const hide = core.current.isRunning ? () => {} : core.showStart();
      return read(aborter.signal)
        .finally(hide)
        .then(run)
        .finally(() => core.publish());
    },
    cancel() {
      aborter.abort();
      aborter = new AbortController();
    },
  };
}

/** Calls `taken` after each item was consumed. */
async function* eachWith<T>(items: AsyncIterable<T>, taken: () => void): AsyncGenerator<T, void, void> {
  for await (const item of items) {
    yield item;
    taken();
  }
}
