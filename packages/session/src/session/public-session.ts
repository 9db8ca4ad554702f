import { saveConversation } from '../conversation/saved-conversation.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { asInstance, keepRaw } from '../signals/keep-raw.js';
import { signal, untracked } from '../signals/signals-core.js';
import { foldStateOf } from '../state/session-state.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { AgentSession, DisposeOptions, LocalAgentSession, TurnResult } from './agent-session.js';
import { command } from './command.js';
import type { InterruptedWork } from './interruption.js';
import type { SessionCore } from './session-core.js';
import { connected } from './session-journal.js';
import type { SessionLifetime } from './session-lifetime.js';
import type { SessionSettings } from './session-settings.js';
import type { PreparedTurn, TurnRunner } from './turn-runner.js';
import { turnStream } from './turn-stream.js';
import type { UndoCommands } from './undo-commands.js';

/** The parts of a session behind its public methods. */
export interface SessionParts {
  readonly core: SessionCore;
  readonly respond: AgentSession['respond'];
  readonly settings: SessionSettings;
  readonly lifetime: SessionLifetime;
  readonly runner: TurnRunner;
  readonly undo: UndoCommands;
  readonly interrupted: InterruptedWork;
  readonly host: TurnHost;
}

/** Returns the session that an app gets: its signals, and its methods in the form that {@link command} gives them. */
export function publicSession(parts: SessionParts): LocalAgentSession {
  const { core, respond, settings, lifetime, runner, undo, interrupted } = parts;
  const session = withAsyncDispose({
    ...core.projection.signals,
    link: keepRaw(core.journal?.link ?? signal(connected)),
    get state() {
      return core.state;
    },
    operations$: core.stream.operations$,
    send: command((input, options) => startTurn(parts, () => runner.prepare(input, options))),
    turn$: (input, options) => turnStream(core, runner, () => runner.prepare(input, options)),
    retry: command(async (options) => {
      if (interrupted.isThere) await interrupted.abandon();
      return runner.start(runner.prepareRetry(options));
    }),
    resume: command(() => interrupted.resume()),
    abandon: command(() => interrupted.abandon()),
    cancel: command((options) => {
      lifetime.assertAlive();
      return interrupted.isThere ? interrupted.cancel() : runner.cancel(options);
    }),
    respond,
    configure: (changes) =>
      untracked(() => {
        lifetime.assertAlive();
        core.emitSession({ type: 'configured', changed: settings.change(changes) });
      }),
    save: () => saveConversation(foldStateOf(core.state), runner.report),
    undo: command((options) => (interrupted.isThere ? interrupted.abandon() : undo.run('undo', options))),
    redo: command((options) => {
      if (interrupted.isThere)
        throw new AgentSessionError('conflict', 'An interrupted turn has to be ended first.');
      return undo.run('redo', options);
    }),
    dispose: (options) => untracked(() => lifetime.dispose(() => endTurn(parts, options))),
  });
  return asInstance(keepRaw(session));
}

/** Starts a turn; one that was interrupted is abandoned first, after the checks that can refuse the new one. */
async function startTurn(
  { runner, interrupted }: SessionParts,
  prepare: () => PreparedTurn,
): Promise<TurnResult> {
  const prepared = prepare();
  if (!interrupted.isThere) return runner.start(prepared);
  await interrupted.abandon();
  return runner.start(prepare());
}

/** Ends the running turn, as `dispose` does: it is taken back, or left to the next session that opens the log. */
function endTurn({ runner, host }: SessionParts, { turn }: DisposeOptions = {}): void {
  if (turn !== 'leave') {
    void runner.cancel({ immediate: true });
    return;
  }
  host.isLeft = true;
  runner.leave(new AgentSessionError('disposed', 'The session was disposed; its turn was left open.'));
}

/** Adds `Symbol.asyncDispose`, for `await using session`, where the platform has it. */
function withAsyncDispose(session: Omit<LocalAgentSession, typeof Symbol.asyncDispose>): LocalAgentSession {
  if (typeof Symbol.asyncDispose === 'symbol') {
    Object.defineProperty(session, Symbol.asyncDispose, { value: session.dispose });
  }
  return session as LocalAgentSession;
}
