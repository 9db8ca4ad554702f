import { saveConversation } from '../conversation/saved-conversation.js';
import { asInstance, keepRaw } from '../signals/keep-raw.js';
import { signal, untracked } from '../signals/signals-core.js';
import { foldStateOf } from '../state/session-state.js';
import type { AgentSession } from './agent-session.js';
import { command } from './command.js';
import type { SessionCore } from './session-core.js';
import { connected } from './session-journal.js';
import type { SessionLifetime } from './session-lifetime.js';
import type { SessionSettings } from './session-settings.js';
import type { TurnRunner } from './turn-runner.js';
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
}

/** Returns the session that an app gets: its signals, and its methods in the form that {@link command} gives them. */
export function publicSession(parts: SessionParts): AgentSession {
  const { core, respond, settings, lifetime, runner, undo } = parts;
  const session = withAsyncDispose({
    ...core.projection.signals,
    link: keepRaw(core.journal?.link ?? signal(connected)),
    get state() {
      return core.state;
    },
    operations$: core.stream.operations$,
    send: command((input, options) => runner.start(runner.prepare(input, options))),
    turn$: (input, options) => turnStream(core, runner, () => runner.prepare(input, options)),
    retry: command((options) => runner.start(runner.prepareRetry(options))),
    cancel: command((options) => {
      lifetime.assertAlive();
      return runner.cancel(options);
    }),
    respond,
    configure: (changes) =>
      untracked(() => {
        lifetime.assertAlive();
        core.emitSession({ type: 'configured', changed: settings.change(changes) });
      }),
    save: () => saveConversation(foldStateOf(core.state), runner.report),
    undo: command((options) => undo.run('undo', options)),
    redo: command((options) => undo.run('redo', options)),
    dispose: () => untracked(() => lifetime.dispose(() => void runner.cancel({ immediate: true }))),
  });
  return asInstance(keepRaw(session));
}

/** Adds `Symbol.asyncDispose`, for `await using session`, where the platform has it. */
function withAsyncDispose(session: Omit<AgentSession, typeof Symbol.asyncDispose>): AgentSession {
  if (typeof Symbol.asyncDispose === 'symbol') {
    Object.defineProperty(session, Symbol.asyncDispose, { value: session.dispose });
  }
  return session as AgentSession;
}
