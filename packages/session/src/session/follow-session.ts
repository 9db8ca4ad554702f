import { saveConversation } from '../conversation/saved-conversation.js';
import type { AgentSessionError } from '../errors/agent-session-error.js';
import { disposedError } from '../errors/disposed-error.js';
import type { RespondOutcome } from '../guards/decision.js';
import { resolvePorts, type GivenPorts, type Ports } from '../ports/ports.js';
import { asInstance, keepRaw } from '../signals/keep-raw.js';
import { signal, untracked } from '../signals/signals-core.js';
import { openReport } from '../state/open-report.js';
import { initialState } from '../state/initial-state.js';
import { foldStateOf } from '../state/session-state.js';
import { StillState } from '../state/still-state.js';
import { allUndo } from '../state/undo-notes.js';
import type { Words } from '../words/create-words.js';
import type { AgentSession } from './agent-session.js';
import { attendMethod } from './attend-method.js';
import { command } from './command.js';
import { commandsThat, type CommandName, type FollowedCommand } from './command-table.js';
import type { Detour } from './detour.js';
import { Follower } from './follower.js';
import { interruptOpenWork } from './interrupt-open-work.js';
import { defaultLimits } from '../limits/limits.js';
import { LateFiles } from './late-files.js';
import { LogTail, type ReadAfter } from './log-tail.js';
import { isLogGone } from './lost-log.js';
import { postWhenListening } from './post-when-listening.js';
import { ReadOnly } from './read-only.js';
import { SessionCore } from './session-core.js';
import type { Link, LogChannel } from './session-log.js';
import { createOutputs } from './session-outputs.js';
import { setLink } from './set-link.js';
import { withAsyncDispose } from './with-async-dispose.js';

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
export function followSession({ read, channel, words, ports: given }: FollowOptions): AgentSession {
  const ports = resolvePorts(given);
  const link = signal<Link>({ role: 'follower', open: false, saved: true });
  let way: Detour;
  const pass: Pass = <R>(name: CommandName, args: readonly unknown[]) => way.pass(name, args, none<R>);
  const respond = command((...args: Parameters<AgentSession['respond']>) =>
    pass<RespondOutcome>('respond', args),
  );
  const core = new SessionCore(
    ports,
    initialState(),
    createOutputs(new StillState(initialState()), ports, { respond, words }),
  );
  core.projection.readFrom(core.store);
  const nextId = () => ports.ids.next('command');
  const line = postWhenListening(channel);
  const follower = new Follower({ channel: line, core, owner: null, nextId, released: () => {} });
  way = follower;
  const commands = commandsOf(pass, core, ports, follower.signal);
  const tail = new LogTail({
    read: (after, signal) => eachWith(read(after, signal), () => setLink(link, { open: true }, ports)),
    clock: ports.clock,
    core,
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
    way = new ReadOnly(reason);
  };
  tail.start({ revision: 0, epoch: 0 });
  const session = withAsyncDispose<AgentSession>({
    ...core.projection.signals,
    link: keepRaw(link),
    get state() {
      return core.shownState;
    },
    operations$: core.stream.operations$,
    ...commands,
    attend: attendMethod(ports, (args) => pass('attend', args)),
    save: () =>
      untracked(() => {
        const state = foldStateOf(core.state);
        const fold = { ...state.fold, undo: allUndo(state) };
        return saveConversation({ ...state, fold }, openReport(state));
      }),
    dispose: command(async () => {
      end(disposedError());
      core.close();
    }),
  });
  return asInstance(keepRaw(session));
}

type Commands = Pick<AgentSession, FollowedCommand>;

/** Sends a command to the session elsewhere. */
type Pass = <R>(name: CommandName, args: readonly unknown[]) => Promise<R>;

/** Passed as `run`, because this session carries out no command itself. */
function none<R>(): Promise<R> {
  return Promise.reject(new Error('There is no way to the session.'));
}

/**
 * Returns the methods that are commands. Files are read here, within the default limits, because the limits of the session are not known
 * here.
 */
function commandsOf(pass: Pass, core: SessionCore, ports: Ports, signal: AbortSignal): Commands {
  const readings = readingsOf(core);
  const files = new LateFiles({
    core,
    ports,
    signal,
    limits: () => defaultLimits,
    hold: readings.hold,
  });
  const methods = commandsThat<FollowedCommand>(({ stays }) => !stays).map((name) => [
    name,
    command((...args: unknown[]) => {
      if (name === 'cancel') readings.cancel();
      return pass(name, args);
    }),
  ]);
  const commands = Object.fromEntries(methods) as Commands;
  return {
    ...commands,
    send: command((input, ...rest) => files.turn(input, rest[0], ({ sent }) => commands.send(sent, ...rest))),
    edit: command((turnId, input, ...rest) =>
      files.turn(input, undefined, ({ sent }) => commands.edit(turnId, sent, ...rest)),
    ),
    enqueue: command((input, ...rest) =>
      files.ordered(input, rest[0], (read) => commands.enqueue(read?.sent ?? input, ...rest)),
    ),
    steer: command((input) => files.ordered(input, undefined, (read) => commands.steer(read?.sent ?? input))),
    requeue: command((id, change) =>
      files.ordered(change?.input, undefined, (read) =>
        commands.requeue(id, read === undefined ? change : { ...change, input: read.sent }),
      ),
    ),
  };
}

/** Keeps turns waiting while their files are read. Such a turn is shown as starting, and a cancel ends it. */
function readingsOf(core: SessionCore) {
  let aborter = new AbortController();
  return {
    async hold<T, R>(read: (signal: AbortSignal) => Promise<T>, run: (read: T) => Promise<R>): Promise<R> {
      const isShown = !core.current.isRunning;
      if (isShown) {
        core.showStarting(true);
        core.publish();
      }
      const end = () => isShown && core.showStarting(false);
      return read(aborter.signal)
        .finally(end)
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
