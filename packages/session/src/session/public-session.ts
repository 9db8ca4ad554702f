import type { Input } from '../conversation/message.js';
import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { asInstance, keepRaw } from '../signals/keep-raw.js';
import { untracked } from '../signals/signals-core.js';
import { foldStateOf } from '../state/session-state.js';
import { recordedUndo } from '../state/undo-note.js';
import { cancelledError } from '../turn/cancellation.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { AgentSession, DisposeOptions, LocalAgentSession, TurnResult } from './agent-session.js';
import { command } from './command.js';
import type { LateCommands } from './late-commands.js';
import type { LateQueue } from './late-queue.js';
import type { Queue } from './queue.js';
import { logCode } from './log-code.js';
import type { CommandName, SessionAccess, TurnCommand } from './session-access.js';
import type { SessionCore } from './session-core.js';
import type { SessionLifetime } from './session-lifetime.js';
import type { SessionSettings } from './session-settings.js';
import type { PreparedTurn } from './prepared-turn.js';
import { turnCode } from './turn-code.js';
import type { TurnRunner } from './turn-runner.js';
import { turnStream } from './turn-stream.js';
import { withAsyncDispose } from './with-async-dispose.js';

/** The parts of a session behind its public methods. */
export interface SessionParts {
  readonly access: SessionAccess;
  readonly core: SessionCore;
  readonly respond: AgentSession['respond'];
  readonly settings: SessionSettings;
  readonly lifetime: SessionLifetime;
  readonly runner: TurnRunner;
  readonly commands: LateCommands;
  readonly queue: LateQueue;
  readonly host: TurnHost;
}

/** Makes a public method of a command, which this session or another one carries out. */
type Route = <Args extends unknown[], R>(
  name: CommandName,
  run: (...args: Args) => Promise<R>,
) => (...args: Args) => Promise<R>;

/** Returns the session that an app gets: its signals, and its methods in the form that {@link command} gives them. */
export function publicSession(parts: SessionParts): LocalAgentSession {
  const { access, core, respond, settings, lifetime, runner, commands, queue } = parts;
  const route: Route = (name, run) => command((...args) => access.pass(name, args, () => run(...args)));
  const start = (command: TurnCommand, turn: PreparedTurn) =>
    access.start(command, turn, () => startTurn(parts, turn));
  const session = withAsyncDispose<LocalAgentSession>({
    ...core.projection.signals,
    link: keepRaw(access.link),
    get state() {
      return core.state;
    },
    operations$: core.stream.operations$,
    send: command((...args) => start({ name: 'send', args }, runner.prepare(...args))),
    turn$: (...args) =>
      turnStream(core, {
        prepare: () => runner.prepare(...args),
        start: (turn) => start({ name: 'turn$', args }, turn),
        abort: (id) => {
          access.detour?.abortTurn(id);
          runner.abort(id);
        },
      }),
    ...branchMethods(route, commands),
    resume: route('resume', () => commands.resume()),
    abandon: route('abandon', () => commands.abandon()),
    cancel: route('cancel', async (options) => {
      lifetime.assertAlive();
      return commands.cancel() ?? runner.cancel(options);
    }),
    ...queueMethods(queue, route),
    respond,
    configure: (changes) =>
      untracked(() => {
        lifetime.assertAlive();
        const changed = settings.change(changes);
        access
          .pass('configure', [], async () => core.emitSession({ type: 'configured', changed }))
          .catch(() => {});
      }),
    save: () => save(parts),
    undo: route('undo', async (options) =>
      commands.isInterrupted ? commands.abandon() : commands.undo('undo', options),
    ),
    redo: route('redo', async (options) => {
      if (commands.isInterrupted)
        throw new AgentSessionError('conflict', 'An interrupted turn has to be ended first.');
      return commands.undo('redo', options);
    }),
    dispose: (options) => untracked(() => lifetime.dispose(() => endTurn(parts, options))),
  });
  return asInstance(keepRaw(session));
}

/** The methods that are about the queue. */
function queueMethods(queue: LateQueue, route: Route) {
  return {
    enqueue: route('enqueue', (...args: Parameters<Queue['enqueue']>) =>
      queue.run((code) => code.enqueue(...args)),
    ),
    requeue: route('requeue', (...args: Parameters<Queue['requeue']>) =>
      queue.run((code) => code.requeue(...args)),
    ),
    dequeue: route('dequeue', (id: string) => queue.run((code) => code.dequeue(id))),
    resumeQueue: route('resumeQueue', () => queue.run((code) => code.resumeQueue())),
    steer: route('steer', (input: Input) => queue.run((code) => code.steer(input))),
  };
}

/** Returns the methods that move the head. */
function branchMethods(
  route: Route,
  commands: LateCommands,
): Pick<AgentSession, 'retry' | 'regenerate' | 'edit' | 'switchTo'> {
  return {
    retry: route('retry', (options) => commands.retry(options)),
    regenerate: route('regenerate', (options) =>
      commands.branch(({ regenerate }, parts) => regenerate(parts, options)),
    ),
    edit: route('edit', (...args) => commands.branch(({ edit }, parts) => edit(parts, ...args))),
    switchTo: route('switchTo', (...args) =>
      commands.branch(({ switchTo }, parts) => switchTo(parts, ...args)),
    ),
  };
}

function save({ core, runner }: SessionParts): SavedConversation {
  const state = foldStateOf(core.state);
  // Without one of these, no effect was recorded or moved since the session was created.
  const code = turnCode.loaded ?? logCode.loaded;
  const undo = code ? code.allUndo(state) : recordedUndo(state.fold.undo);
  const report = runner.report ?? code?.openReport(state) ?? null;
  return saveConversation({ ...state, fold: { ...state.fold, undo } }, report);
}

/** Starts a turn; one that was interrupted is abandoned first, after the checks that can refuse the new one. */
async function startTurn(
  { runner, commands, lifetime }: SessionParts,
  turn: PreparedTurn,
): Promise<TurnResult> {
  if (commands.isInterrupted) {
    await commands.abandon();
    if (turn.signal?.aborted) throw cancelledError();
  }
  // The turn may have waited since its checks.
  lifetime.assertFree();
  return runner.start(turn);
}

/** Ends the running turn, as `dispose` does: it is taken back, or left to the next session that opens the log. */
function endTurn({ runner, commands, queue, host }: SessionParts, { turn }: DisposeOptions = {}): void {
  queue.leave(new AgentSessionError('disposed', 'The session was disposed; its queue is kept in its log.'));
  commands.endMove();
  if (turn !== 'leave') {
    void runner.cancel({ immediate: true });
    return;
  }
  host.isLeft = true;
  runner.leave(new AgentSessionError('disposed', 'The session was disposed; its turn was left open.'));
}
