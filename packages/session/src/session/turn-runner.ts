import type { Input, Message } from '../conversation/message.js';
import type { UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { ConfirmationDesk } from '../guards/confirmation.js';
import { defined } from '../json/defined.js';
import type { Ports } from '../ports/ports.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { Cancellation, cancelledError } from '../turn/cancellation.js';
import type { TurnHost, TurnRequest, TurnSettings } from '../turn/turn-request.js';
import type { UndoProvider } from '../undo/undo-provider.js';
import type { CancelOptions, CancelReport, SendOptions, TurnResult } from './agent-session.js';
import { cancelReport } from './cancel-report.js';
import { readInput, turnSettings } from './pre-flight.js';
import { RunningTurn, type Terminal } from './running-turn.js';
import type { SessionCore } from './session-core.js';
import type { SessionLifetime, Work } from './session-lifetime.js';
import type { SessionSettings } from './session-settings.js';

/** The parts of a session that its turns use. */
export interface TurnRunnerOptions {
  readonly core: SessionCore;
  readonly ports: Ports;
  readonly tools: ToolRegistry;
  /** The option of the session: undefined for the built-in one, null for none. */
  readonly history: UndoProvider | null | undefined;
  readonly host: TurnHost;
  readonly settings: SessionSettings;
  readonly lifetime: SessionLifetime;
}

/** A turn that passed its checks, and can be started once. */
export interface PreparedTurn {
  readonly request: TurnRequest;
  readonly signal: AbortSignal | undefined;
  /** Ids of the messages to remove from the conversation first: those of the turn that is retried. */
  readonly removed: readonly string[];
}

/** Runs the turns of a session, one at a time. */
export class TurnRunner implements Work {
  private running: RunningTurn | null = null;
  /** The options of the last turn, with which `retry()` repeats it. */
  private lastOptions: { readonly turnId: string; readonly options: SendOptions } | null = null;

  constructor(private readonly options: TurnRunnerOptions) {}

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** Resolves when the running turn ends, or at once when none runs. */
  get ended(): Promise<unknown> {
    return this.running?.ended ?? Promise.resolve();
  }

  /** The report of the running turn as if it ended now; null when none runs. */
  get report(): UndoReport | null {
    return this.running?.report ?? null;
  }

  /** Makes all checks that can refuse a turn, before any state changes. Throws the errors with which `send` rejects. */
  prepare(input: Input, options: SendOptions = {}): PreparedTurn {
    this.options.lifetime.assertFree();
    const parts = readInput(input);
    const settings = turnSettings(this.options.settings.current, parts, options);
    const message: Message = { id: this.options.ports.ids.next('message'), role: 'user', parts };
    return this.prepared(message, settings, options);
  }

  /** Prepares the last turn again. Throws `nothing-to-retry` unless it failed or was cancelled. */
  prepareRetry(given: SendOptions = {}): PreparedTurn {
    const { core } = this.options;
    this.options.lifetime.assertFree();
    const { turns, conversation } = core.state;
    const last = turns.at(-1);
    if (last === undefined || (last.status !== 'failed' && last.status !== 'cancelled')) {
      throw new AgentSessionError('nothing-to-retry', 'The last turn neither failed nor was it cancelled.');
    }
    const options = this.lastOptions?.turnId === last.id ? { ...this.lastOptions.options, ...given } : given;
    // Without the signal of the last attempt, which may have fired.
    const fresh = { ...options, signal: given.signal };
    const settings = turnSettings(this.options.settings.current, last.input.parts, fresh);
    const prepared = this.prepared(last.input, settings, fresh, last.id);
    const ids = new Set(last.messageIds);
    const removed = conversation.messages
      .filter((message) => ids.has(message.id))
      .map((message) => message.id);
    return { ...prepared, removed };
  }

  /** Starts a prepared turn. Its first operation was delivered when this returns. */
  start({ request, signal, removed }: PreparedTurn): Promise<TurnResult> {
    const { core } = this.options;
    const running = new RunningTurn(core, request, () => {
      this.running = null;
      signal?.removeEventListener('abort', abort);
    });
    const abort = () => running.cancel('abort', 'rollback');
    this.running = running;
    signal?.addEventListener('abort', abort, { once: true });
    // Delivered together with the first operation of the turn, so that a subscriber which reacts to it sees a running turn.
    if (removed.length > 0) core.fold({ type: 'conversationReplaced', reason: 'retry', removed });
    running.start();
    return running.ended.then((terminal) => this.resultOf(terminal));
  }

  /** Cancels the running turn, and resolves with the report when it has ended. */
  cancel({ immediate = false, sideEffects = 'rollback' }: CancelOptions = {}): Promise<CancelReport> {
    const { core } = this.options;
    const landed = core.state.phase;
    const { running } = this;
    const tooLate = landed === 'committing' || landed === 'rolling-back';
    if (running === null) return Promise.resolve(cancelReport(landed, null));
    if (!tooLate) running.cancel(immediate ? 'abort' : 'cancel', sideEffects);
    return running.ended.then((terminal) => {
      const record = core.state.turns.findLast((turn) => turn.id === terminal.turnId);
      return cancelReport(landed, record ?? null);
    });
  }

  /** Aborts the turn with this id if it runs: the subscriber of its `turn$` has unsubscribed. */
  abort(turnId: string): void {
    if (this.running?.request.id === turnId) this.running.cancel('abort', 'rollback');
  }

  /** The desk of the running turn, with the open confirmations; null while no turn runs or its code is not loaded. */
  get desk(): ConfirmationDesk | null {
    return this.running?.desk ?? null;
  }

  private resultOf(terminal: Terminal): TurnResult {
    switch (terminal.type) {
      case 'completed':
      case 'stopped': {
        const { type: status, text, messages, usage, rounds } = terminal;
        const stop = terminal.type === 'stopped' ? terminal.stop : undefined;
        return defined({ status, text, messages, usage, rounds, stop });
      }
      case 'cancelled':
        throw cancelledError();
      case 'failed':
        throw this.options.core.errorOf(terminal.error);
    }
  }

  private prepared(
    input: Message,
    settings: TurnSettings,
    options: SendOptions,
    retryOf?: string,
  ): PreparedTurn {
    const { core, ports, tools, history, host } = this.options;
    const request: TurnRequest = {
      id: ports.ids.next('turn'),
      input,
      retryOf,
      settings,
      ports,
      tools,
      history,
      cancellation: new Cancellation(),
      journal: { barrier: () => {} },
      state: () => core.state,
      host,
    };
    this.lastOptions = { turnId: request.id, options };
    return { request, signal: options.signal, removed: [] };
  }
}
