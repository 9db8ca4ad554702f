import type { Observable } from 'rxjs';
import { openConversation, saveConversation } from '../conversation/saved-conversation.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { isTerminal, type Operation } from '../operations/operation.js';
import { resolvePorts } from '../ports/ports.js';
import { untracked } from '../signals/signals-core.js';
import { initialState } from '../state/session-state.js';
import { createToolRegistry } from '../tools/tool-registry.js';
import type { TurnHost } from '../turn/turn-request.js';
import { readRevisions } from '../undo/revisions.js';
import type { AgentSession } from './agent-session.js';
import { asInstance, keepRaw } from './keep-raw.js';
import { SafeObservable } from './operation-stream.js';
import { SessionCore } from './session-core.js';
import {
  checkChanges,
  checkGuards,
  checkOptions,
  resolveSettings,
  type SessionChanges,
  type SessionOptions,
} from './session-options.js';
import { preloadTurns } from './turn-code.js';
import { TurnRunner, type PreparedTurn } from './turn-runner.js';
import { UndoCommands } from './undo-commands.js';

/**
 * Creates a session. Throws `invalid-configuration`, naming the offender, for anything that cannot work.
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
  let settings = resolveSettings(options);
  checkGuards(settings.guards, tools);
  let changed: SessionChanges = {};
  let disposal: Promise<void> | null = null;

  const revisions = () => readRevisions(tools.domains, (error) => ports.reportError(error));
  const core: SessionCore = new SessionCore(ports, initialState(opened), (id, decision) =>
    runner.respond(id, decision),
  );
  const host: TurnHost = {
    readRevisions: revisions,
    lateToolSettled: (fact) => core.emitSession(fact),
    failedWith: (data, error) => core.remember(data, error),
    lasting: null,
  };
  const assertAlive = () => {
    if (disposal !== null) throw new AgentSessionError('disposed', 'The session is disposed.');
  };
  const assertFree = () => {
    assertAlive();
    if (runner.isRunning || undo.isRunning) {
      throw new AgentSessionError(
        'already-running',
        'The session is busy: a turn, an undo or a redo is running.',
      );
    }
  };
  const runner: TurnRunner = new TurnRunner({
    core,
    ports,
    tools,
    history: options.history,
    host,
    settings: () => settings,
    assertFree,
  });
  const undo = new UndoCommands(core, () => host.lasting?.undoStack, assertFree);

  const start = (prepared: PreparedTurn) => {
    host.lasting?.undoStack.clearRedo();
    return runner.start(prepared);
  };
  const turnStream = (prepare: () => PreparedTurn): Observable<Operation> => {
    let used = false;
    return new SafeObservable<Operation>((subscriber) => {
      untracked(() => {
        // A turn acts on the app: subscribing again, as `retry` and `repeat` do, must not act again.
        if (used)
          throw new AgentSessionError(
            'already-running',
            'A turn$ runs once; call turn$ again for another turn.',
          );
        const prepared = prepare();
        used = true;
        subscriber.add(
          core.stream.operations$.subscribe((operation) => {
            if (operation.turnId !== prepared.request.id) return;
            subscriber.next(operation);
            if (isTerminal(operation)) subscriber.complete();
          }),
        );
        subscriber.add(() => runner.abort(prepared.request.id));
        start(prepared).catch(() => {});
      });
    }, ports.reportError);
  };
  const configure = (changes: SessionChanges) => {
    assertAlive();
    checkChanges(changes);
    const next = { ...changed, ...changes };
    const resolved = resolveSettings({ ...options, ...next });
    checkGuards(resolved.guards, tools);
    settings = resolved;
    changed = next;
    core.emitSession({ type: 'configured', changed: Object.keys(changes) });
  };
  const dispose = async () => {
    void runner.cancel({ immediate: true });
    await Promise.all([runner.ended, undo.ended]);
    core.emitSession({ type: 'disposed' });
    core.close();
  };

  // In the background: whether it succeeds is asked when a turn needs it.
  preloadTurns().catch(() => {});

  const { signals } = core.projection;
  for (const signal of Object.values(signals)) keepRaw(signal);
  const session = withAsyncDispose({
    ...signals,
    get state() {
      return core.state;
    },
    operations$: core.stream.operations$,
    send: command((input, sendOptions) => start(runner.prepare(input, sendOptions))),
    turn$: (input, sendOptions) => turnStream(() => runner.prepare(input, sendOptions)),
    retry: command((sendOptions) => start(runner.prepareRetry(sendOptions))),
    cancel: command((cancelOptions) => {
      assertAlive();
      return runner.cancel(cancelOptions);
    }),
    respond: (requestId, decision) => untracked(() => runner.respond(requestId, decision)),
    configure: (changes) => untracked(() => configure(changes)),
    save: () => {
      const { conversation, turns, liveTurn } = core.state;
      return saveConversation(conversation, turns, liveTurn, runner.report);
    },
    undo: command((undoOptions) => undo.run('undo', undoOptions)),
    redo: command((undoOptions) => undo.run('redo', undoOptions)),
    dispose: () => (disposal ??= untracked(dispose)),
  });
  return asInstance(keepRaw(session));
}

/**
 * A method that answers by a promise, whatever goes wrong, runs untracked inside effects, and whose rejection may be
 * ignored: the state tells the same.
 */
function command<Args extends unknown[], R>(
  run: (...args: Args) => Promise<R>,
): (...args: Args) => Promise<R> {
  return (...args) => {
    const promise = untracked(() => {
      try {
        return run(...args);
      } catch (error) {
        return Promise.reject<R>(error as Error);
      }
    });
    promise.catch(() => {});
    return promise;
  };
}

/** `await using session` works where the platform knows it. */
function withAsyncDispose(session: Omit<AgentSession, typeof Symbol.asyncDispose>): AgentSession {
  if (typeof Symbol.asyncDispose === 'symbol') {
    Object.defineProperty(session, Symbol.asyncDispose, { value: session.dispose });
  }
  return session as AgentSession;
}
