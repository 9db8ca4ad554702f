import { saveConversation } from '../conversation/saved-conversation.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { resolvePorts, type GivenPorts } from '../ports/ports.js';
import { asInstance, keepRaw } from '../signals/keep-raw.js';
import { untracked } from '../signals/signals-core.js';
import { lazyHandlers } from '../state/lazy-handlers.js';
import { openReport } from '../state/open-report.js';
import { foldStateOf, initialState } from '../state/session-state.js';
import { allUndo } from '../state/undo-notes.js';
import type { AgentSession } from './agent-session.js';
import { command } from './command.js';
import { sentCommands, type SentCommand } from './command-messages.js';
import { Follower } from './follower.js';
import { LogTail, type ReadAfter } from './log-tail.js';
import { ReadOnly } from './read-only.js';
import { SessionAccess } from './session-access.js';
import { SessionCore } from './session-core.js';
import type { LogChannel } from './session-log.js';
import { setLink } from './set-link.js';
import { withAsyncDispose } from './with-async-dispose.js';

/** The ways to a session that runs elsewhere. */
export interface FollowOptions {
  /** Reads its log. The session is open when the first item was read. */
  readonly read: ReadAfter;
  /** Takes commands to it, and brings their receipts. */
  readonly channel: LogChannel;
  /** The ports that the session uses; it has no journal. Default: those of the platform. */
  readonly ports?: Omit<GivenPorts, 'journal'> | undefined;
}

/**
 * Returns a session that runs elsewhere: its state is the fold of the log that is read, and its commands are posted to the channel.
 * `dispose` ends the reading and the messages; the session elsewhere goes on.
 *
 * @example
 * const session = followSession({ read: (after, signal) => readRecords(after, signal), channel });
 */
export function followSession({ read, channel, ports: given }: FollowOptions): AgentSession {
  const ports = resolvePorts(given);
  const access = new SessionAccess();
  const commands = commandsOf(access);
  const core = new SessionCore(ports, initialState(), commands.respond);
  core.addHandlers(lazyHandlers);
  const nextId = () => ports.ids.next('command');
  const follower = new Follower({ channel, core, owner: null, nextId, released: () => {} });
  access.detour = follower;
  access.link.value = { role: 'follower', open: false, saved: true };
  const tail = new LogTail({
    read: (after, signal) => eachWith(read(after, signal), () => setLink(access.link, { open: true }, ports)),
    clock: ports.clock,
    core,
    beforeFold: (operations) => follower.beforeFold(operations),
    beforeReplace: (state) => follower.beforeReplace(state),
    unreadable: (problem) => {
      end(problem);
      setLink(access.link, { role: 'read-only', open: true }, ports);
      ports.reportError(problem);
    },
  });
  const end = (reason: AgentSessionError) => {
    tail.stop();
    follower.abort(reason);
    access.detour = new ReadOnly(reason);
  };
  tail.start({ revision: 0, epoch: 0 });
  const session = withAsyncDispose<AgentSession>({
    ...core.projection.signals,
    link: keepRaw(access.link),
    get state() {
      return core.state;
    },
    operations$: core.stream.operations$,
    ...commands,
    save: () => saveFollowed(core),
    dispose: command(async () => {
      end(new AgentSessionError('disposed', 'The session is disposed.'));
      core.close();
    }),
  });
  return asInstance(keepRaw(session));
}

type Commands = Pick<AgentSession, SentCommand>;

/** Returns the methods that are commands. */
function commandsOf(access: SessionAccess): Commands {
  // The session itself carries out none, so there is always a detour.
  const none = () => Promise.reject(new Error('There is no way to the session.'));
  const methods = sentCommands.map((name) => [
    name,
    command((...args: unknown[]) => access.pass(name, args, none)),
  ]);
  return Object.fromEntries(methods) as Commands;
}

function saveFollowed(core: SessionCore) {
  return untracked(() => {
    const state = foldStateOf(core.state);
    return saveConversation({ ...state, fold: { ...state.fold, undo: allUndo(state) } }, openReport(state));
  });
}

/** Calls back when an item was taken, each time. */
async function* eachWith<T>(items: AsyncIterable<T>, taken: () => void): AsyncGenerator<T, void, void> {
  for await (const item of items) {
    yield item;
    taken();
  }
}
