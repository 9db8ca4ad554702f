import { openConversation, saveConversation } from '../conversation/saved-conversation.js';
import { resolvePorts } from '../ports/ports.js';
import { untracked } from '../signals/signals-core.js';
import { createToolRegistry } from '../tools/tool-registry.js';
import type { TurnHost } from '../turn/turn-request.js';
import { readRevisions } from '../undo/revisions.js';
import type { AgentSession } from './agent-session.js';
import { command } from './command.js';
import { asInstance, keepRaw } from './keep-raw.js';
import { openedState } from './opened-state.js';
import { SessionCore } from './session-core.js';
import { SessionLifetime } from './session-lifetime.js';
import { checkOptions, type SessionOptions } from './session-options.js';
import { SessionSettings } from './session-settings.js';
import { preloadCode, turnCode } from './turn-code.js';
import { TurnRunner } from './turn-runner.js';
import { turnStream } from './turn-stream.js';
import { UndoCommands } from './undo-commands.js';

/**
 * Creates a session, and starts to load the code of turns in the background.
 *
 * @throws AgentSessionError `invalid-configuration`, naming the option that is wrong; `unsupported` for a conversation that a newer
 *   release saved
 *
 * @example
 * const session = createAgentSession({ provider: openai({ model, baseURL }), domains: [board] });
 * effect(() => { output.textContent = session.currentText.value; });
 * await session.send('Add a card "Plan" to Todo');
 */
export function createAgentSession(options: SessionOptions): AgentSession {
  checkOptions(options);
  const ports = resolvePorts(options.ports);
  const tools = createToolRegistry(options.domains ?? []);
  const opened = options.conversation === undefined ? {} : openConversation(options.conversation);
  const settings = new SessionSettings(options, tools);
  const respond: AgentSession['respond'] = command(
    async (requestId, decision) => runner.desk?.respond(requestId, decision) ?? 'already-settled',
  );
  const core: SessionCore = new SessionCore(ports, openedState(opened, tools, options.history), respond);
  const lifetime: SessionLifetime = new SessionLifetime(core, () => [runner, undo]);
  const host: TurnHost = {
    readRevisions: () => readRevisions(tools.domains, (error) => ports.reportError(error)),
    lateToolSettled: (fact) => core.emitSession(fact),
    effectMoved: (fact) => core.emitSession(fact),
    failedWith: (data, error) => core.remember(data, error),
    shared: null,
  };
  const { history } = options;
  const runner: TurnRunner = new TurnRunner({ core, ports, tools, history, host, settings, lifetime });
  /** Loads the code of undo, for a turn that an earlier session committed. */
  const loadStack = async () => {
    const { createSharedParts, lazyHandlers } = await turnCode.get(ports.clock);
    core.addHandlers(lazyHandlers);
    const request = { ports, tools, history, current: () => core.current, host, settings: settings.current };
    host.shared ??= createSharedParts(request);
    return host.shared.undoStack;
  };
  const undo = new UndoCommands(
    core,
    () => host.shared?.undoStack ?? (core.current.undoEntries.length > 0 ? loadStack() : undefined),
    () => lifetime.assertFree(),
  );
  // In the background. A failure is ignored here: the turn that needs the code fetches it again, or fails.
  preloadCode(ports, tools.definitions).catch(() => {});

  const { signals } = core.projection;
  for (const signal of Object.values(signals)) keepRaw(signal);
  const session = withAsyncDispose({
    ...signals,
    get state() {
      return core.state;
    },
    operations$: core.stream.operations$,
    send: command((input, sendOptions) => runner.start(runner.prepare(input, sendOptions))),
    turn$: (input, sendOptions) => turnStream(core, runner, () => runner.prepare(input, sendOptions)),
    retry: command((sendOptions) => runner.start(runner.prepareRetry(sendOptions))),
    cancel: command((cancelOptions) => {
      lifetime.assertAlive();
      return runner.cancel(cancelOptions);
    }),
    respond,
    configure: (changes) =>
      untracked(() => {
        lifetime.assertAlive();
        core.emitSession({ type: 'configured', changed: settings.change(changes) });
      }),
    save: () => {
      const { conversation, turns, liveTurn } = core.state;
      return saveConversation(conversation, turns, liveTurn, runner.report);
    },
    undo: command((undoOptions) => undo.run('undo', undoOptions)),
    redo: command((undoOptions) => undo.run('redo', undoOptions)),
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
