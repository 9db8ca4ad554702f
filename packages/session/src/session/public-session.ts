import { saveConversation } from '../conversation/saved-conversation.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { asInstance, keepRaw } from '../signals/keep-raw.js';
import { signal, untracked } from '../signals/signals-core.js';
import { foldStateOf } from '../state/session-state.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { AgentSession, DisposeOptions, LocalAgentSession, TurnResult } from './agent-session.js';
import { command } from './command.js';
import type { LateCommands } from './late-commands.js';
import type { SessionCore } from './session-core.js';
import { connected } from './session-journal.js';
import type { SessionLifetime } from './session-lifetime.js';
import type { SessionSettings } from './session-settings.js';
import type { PreparedTurn, TurnRunner } from './turn-runner.js';
import { turnStream } from './turn-stream.js';

/** The parts of a session behind its public methods. */
export interface SessionParts {
  readonly core: SessionCore;
  readonly respond: AgentSession['respond'];
  readonly settings: SessionSettings;
  readonly lifetime: SessionLifetime;
  readonly runner: TurnRunner;
  readonly commands: LateCommands;
  readonly host: TurnHost;
}

/** Returns the session that an app gets: its signals, and its methods in the form that {@link command} gives them. */
export function publicSession(parts: SessionParts): LocalAgentSession {
  const { core, respond, settings, lifetime, runner, commands } = parts;
  const session = withAsyncDispose({
    ...core.projection.signals,
    link: keepRaw(core.journal?.link ?? signal(connected)),
    get state() {
      return core.state;
    },
    operations$: core.stream.operations$,
    send: command((input, options) => startTurn(parts, () => runner.prepare(input, options))),
    turn$: (input, options) => turnStream(core, runner, () => runner.prepare(input, options)),
    retry: command((options) => commands.retry(options)),
    resume: command(() => commands.resume()),
    abandon: command(() => commands.abandon()),
    cancel: command((options) => {
      lifetime.assertAlive();
      return commands.cancel() ?? runner.cancel(options);
    }),
    respond,
    configure: (changes) =>
      untracked(() => {
        lifetime.assertAlive();
        core.emitSession({ type: 'configured', changed: settings.change(changes) });
      }),
    save: () => saveConversation(foldStateOf(core.state), runner.report),
    undo: command((options) =>
      commands.isInterrupted ? commands.abandon() : commands.undo('undo', options),
    ),
    redo: command((options) => {
      if (commands.isInterrupted)
        throw new AgentSessionError('conflict', 'An interrupted turn has to be ended first.');
      return commands.undo('redo', options);
    }),
    dispose: (options) => untracked(() => lifetime.dispose(() => endTurn(parts, options))),
  });
  return asInstance(keepRaw(session));
}

/** Starts a turn; one that was interrupted is abandoned first, after the checks that can refuse the new one. */
async function startTurn(
  { runner, commands }: SessionParts,
  prepare: () => PreparedTurn,
): Promise<TurnResult> {
  const prepared = prepare();
  if (!commands.isInterrupted) return runner.start(prepared);
  await commands.abandon();
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
