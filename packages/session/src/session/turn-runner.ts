import type { Input, Message } from '../conversation/message.js';
import type { UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { ConfirmationDesk } from '../guards/confirmation.js';
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

/** What the turns of a session have in common. */
export interface TurnRunnerOptions {
  readonly core: SessionCore;
  readonly ports: Ports;
  readonly tools: ToolRegistry;
  /** As the option of the session: undefined stands for the built-in one. */
  readonly history: UndoProvider | null | undefined;
  readonly host: TurnHost;
  readonly settings: SessionSettings;
  readonly lifetime: SessionLifetime;
}

/** A turn that passed its pre-flight checks and waits to be started, once. */
export interface PreparedTurn {
  readonly request: TurnRequest;
  readonly signal: AbortSignal | undefined;
  /** Messages that leave the conversation first: those of the attempt that is made again. */
  readonly removed: readonly string[];
}

/** Runs the turns of a session, one at a time. */
export class TurnRunner implements Work {
  private running: RunningTurn | null = null;
  /** Options of the last turn: what `retry()` repeats beside its message. */
  private lastOptions: { readonly turnId: string; readonly options: SendOptions } | null = null;

  constructor(private readonly options: TurnRunnerOptions) {}

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** The running turn's end, or nothing to wait for. */
  get ended(): Promise<unknown> {
    return this.running?.ended ?? Promise.resolve();
  }

  /** The report of the running turn if it were broken off now; null when none runs. */
  get report(): UndoReport | null {
    return this.running?.report ?? null;
  }

  /** Everything that can refuse a turn, before anything changes. */
  prepare(input: Input, options: SendOptions = {}): PreparedTurn {
    this.options.lifetime.assertFree();
    const parts = readInput(input);
    const settings = turnSettings(this.options.settings.current, parts, options);
    const message: Message = { id: this.options.ports.ids.next('message'), role: 'user', parts };
    return this.prepared(message, settings, options);
  }

  /** The last failed or cancelled turn again: its messages leave the conversation, its user message comes back. */
  prepareRetry(given: SendOptions = {}): PreparedTurn {
    const { core } = this.options;
    this.options.lifetime.assertFree();
    const { turns, conversation } = core.state;
    const last = turns.at(-1);
    if (last === undefined || (last.status !== 'failed' && last.status !== 'cancelled')) {
      throw new AgentSessionError('nothing-to-retry', 'The last turn neither failed nor was it cancelled.');
    }
    const options = this.lastOptions?.turnId === last.id ? { ...this.lastOptions.options, ...given } : given;
    // The signal of the failed attempt may have fired; it belongs to that attempt.
    const fresh = { ...options, signal: given.signal };
    const settings = turnSettings(this.options.settings.current, last.input.parts, fresh);
    const prepared = this.prepared(last.input, settings, fresh, last.id);
    const ids = new Set(last.messageIds);
    const removed = conversation.messages
      .filter((message) => ids.has(message.id))
      .map((message) => message.id);
    return { ...prepared, removed };
  }

  /** Starts a prepared turn; its first operation is out when this returns. */
  start({ request, signal, removed }: PreparedTurn): Promise<TurnResult> {
    const { core, host } = this.options;
    host.lasting?.undoStack.clearRedo();
    const running = new RunningTurn(core, request, () => {
      this.running = null;
      signal?.removeEventListener('abort', abort);
    });
    const abort = () => running.cancel('abort', 'rollback');
    this.running = running;
    signal?.addEventListener('abort', abort, { once: true });
    // Together with the first operation of the turn: a subscriber that reacts to it meets a running turn.
    if (removed.length > 0) core.fold({ type: 'conversationReplaced', reason: 'retry', removed });
    running.start();
    return running.ended.then((terminal) => this.resultOf(terminal));
  }

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

  /** The hard level, for the turn with this id if it runs: its `turn$` has no subscriber left. */
  abort(turnId: string): void {
    if (this.running?.request.id === turnId) this.running.cancel('abort', 'rollback');
  }

  /** The desk with the open confirmations; null while no turn has one. */
  get desk(): ConfirmationDesk | null {
    return this.running?.desk ?? null;
  }

  private resultOf(terminal: Terminal): TurnResult {
    switch (terminal.type) {
      case 'completed':
      case 'stopped': {
        const { type: status, text, messages, usage, rounds } = terminal;
        return {
          status,
          text,
          messages,
          usage,
          rounds,
          ...(terminal.type === 'stopped' ? { stop: terminal.stop } : {}),
        };
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
      ...(retryOf === undefined ? {} : { retryOf }),
      settings,
      ports,
      tools,
      history,
      cancellation: new Cancellation(),
      state: () => core.state,
      host,
    };
    this.lastOptions = { turnId: request.id, options };
    return { request, signal: options.signal, removed: [] };
  }
}
