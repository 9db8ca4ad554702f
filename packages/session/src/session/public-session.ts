import { saveConversation } from '../conversation/saved-conversation.js';
import { asInstance, keepRaw } from '../signals/keep-raw.js';
import { untracked } from '../signals/signals-core.js';
import type { AgentSession } from './agent-session.js';
import { command } from './command.js';
import type { CommandName, SessionAccess, TurnCommand } from './session-access.js';
import type { SessionCore } from './session-core.js';
import type { SessionLifetime } from './session-lifetime.js';
import type { SessionSettings } from './session-settings.js';
import type { PreparedTurn, TurnRunner } from './turn-runner.js';
import { turnStream } from './turn-stream.js';
import type { UndoCommands } from './undo-commands.js';

/** The parts of a session behind its public methods. */
export interface SessionParts {
  readonly access: SessionAccess;
  readonly core: SessionCore;
  readonly respond: AgentSession['respond'];
  readonly settings: SessionSettings;
  readonly lifetime: SessionLifetime;
  readonly runner: TurnRunner;
  readonly undo: UndoCommands;
}

/** Returns the session that an app gets: its signals, and its methods in the form that {@link command} gives them. */
export function publicSession(parts: SessionParts): AgentSession {
  const { access, core, respond, settings, lifetime, runner, undo } = parts;
  const route = <Args extends unknown[], R>(name: CommandName, run: (...args: Args) => Promise<R>) =>
    command((...args: Args) => access.pass(name, args, () => run(...args)));
  const start = (command: TurnCommand, turn: PreparedTurn) =>
    access.start(command, turn, async () => runner.start(turn));
  const session = withAsyncDispose({
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
    retry: route('retry', async (options) => runner.start(runner.prepareRetry(options))),
    cancel: route('cancel', async (options) => {
      lifetime.assertAlive();
      return runner.cancel(options);
    }),
    respond,
    configure: (changes) =>
      untracked(() => {
        lifetime.assertAlive();
        const changed = settings.change(changes);
        access
          .pass('configure', [], async () => core.emitSession({ type: 'configured', changed }))
          .catch(() => {});
      }),
    save: () => {
      const { conversation, turns, liveTurn } = core.state;
      return saveConversation(conversation, turns, liveTurn, runner.report);
    },
    undo: route('undo', (options) => undo.run('undo', options)),
    redo: route('redo', (options) => undo.run('redo', options)),
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
