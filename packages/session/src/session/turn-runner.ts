import type { Input, Message } from '../conversation/message.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { toSessionError } from '../errors/to-session-error.js';
import { ConfirmationDesk, type Answer, type Decision } from '../guards/confirmation.js';
import { RepeatedCalls } from '../limits/repeated-calls.js';
import { Spending } from '../limits/spending.js';
import { TurnClock } from '../limits/turn-clock.js';
import { isTerminal, type Operation, type TurnFact } from '../operations/operation.js';
import type { Ports } from '../ports/ports.js';
import type { ArgumentChecker } from '../tools/argument-checker.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { Cancellation, cancelledError, type CancelLevel, type SideEffects } from '../turn/cancellation.js';
import type { Turn, TurnHost, TurnSettings } from '../turn/turn-context.js';
import { TurnRevisions } from '../turn/turn-revisions.js';
import { runTurn } from '../turn/turn.js';
import { TurnTransaction } from '../undo/turn-transaction.js';
import type { UndoProvider } from '../undo/undo-provider.js';
import type { CancelOptions, CancelReport, SendOptions, TurnResult } from './agent-session.js';
import { cancelReport } from './cancel-report.js';
import { readInput, turnSettings } from './pre-flight.js';
import type { SessionCore } from './session-core.js';

/** What the turns of a session have in common. */
export interface TurnRunnerOptions {
  readonly core: SessionCore;
  readonly ports: Ports;
  readonly tools: ToolRegistry;
  readonly arguments: ArgumentChecker;
  readonly history: UndoProvider | undefined;
  readonly host: TurnHost;
  /** The settings as they are now. */
  settings(): TurnSettings;
  /** Throws when the session is disposed, or busy with something else. */
  assertFree(): void;
}

type Terminal = Extract<Operation, { type: 'completed' | 'stopped' | 'cancelled' | 'failed' }>;

/** A turn that passed its pre-flight checks and waits to be started, once. */
export interface PreparedTurn {
  readonly turn: Turn;
  readonly signal: AbortSignal | undefined;
  /** Messages that leave the conversation first: those of the attempt that is made again. */
  readonly removed: readonly string[];
}

/** Runs the turns of a session, one at a time. */
export class TurnRunner {
  /** Between `conversationReplaced` and `turnStarted`. */
  private starting = false;
  private running: { readonly turn: Turn; readonly ended: Promise<Terminal> } | null = null;
  /** Options of the last turn: what `retry()` repeats beside its message. */
  private lastOptions: { readonly turnId: string; readonly options: SendOptions } | null = null;

  constructor(private readonly options: TurnRunnerOptions) {}

  get isRunning(): boolean {
    return this.running !== null || this.starting;
  }

  /** The running turn's end, or nothing to wait for. */
  get ended(): Promise<unknown> {
    return this.running?.ended ?? Promise.resolve();
  }

  /** Everything that can refuse a turn, before anything changes. */
  prepare(input: Input, options: SendOptions = {}): PreparedTurn {
    this.options.assertFree();
    const parts = readInput(input);
    const settings = turnSettings(this.options.settings(), parts, options);
    const message: Message = { id: this.options.ports.ids.next('message'), role: 'user', parts };
    return this.prepared(message, settings, options);
  }

  /** The last failed or cancelled turn again: its messages leave the conversation, its user message comes back. */
  prepareRetry(given: SendOptions = {}): PreparedTurn {
    const { core } = this.options;
    this.options.assertFree();
    const { turns, conversation } = core.state;
    const last = turns.at(-1);
    if (last === undefined || (last.status !== 'failed' && last.status !== 'cancelled')) {
      throw new AgentSessionError('nothing-to-retry', 'The last turn neither failed nor was it cancelled.');
    }
    const options = this.lastOptions?.turnId === last.id ? { ...this.lastOptions.options, ...given } : given;
    // The signal of the failed attempt may have fired; it belongs to that attempt.
    const fresh = { ...options, signal: given.signal };
    const settings = turnSettings(this.options.settings(), last.input.parts, fresh);
    const prepared = this.prepared(last.input, settings, fresh, last.id);
    const ids = new Set(last.messageIds);
    const removed = conversation.messages
      .filter((message) => ids.has(message.id))
      .map((message) => message.id);
    return { ...prepared, removed };
  }

  /** Starts a prepared turn; its first operation is out when this returns. */
  start({ turn, signal, removed }: PreparedTurn): Promise<TurnResult> {
    if (removed.length > 0) this.removeMessages(removed);
    let settle!: (terminal: Terminal) => void;
    const ended = new Promise<Terminal>((resolve) => {
      settle = resolve;
    });
    this.running = { turn, ended };
    const abort = () => this.abort(turn);
    signal?.addEventListener('abort', abort, { once: true });
    const emit = (fact: TurnFact) => {
      const operation = this.emit(turn, fact);
      if (!isTerminal(operation)) return;
      signal?.removeEventListener('abort', abort);
      settle(operation);
    };
    runTurn(turn).subscribe({
      next: emit,
      // Only a fault of our own, or a port that throws, comes here; the turn must end all the same.
      error: (thrown: unknown) => emit(brokenTurn(turn, thrown)),
    });
    return ended.then((terminal) => this.resultOf(terminal));
  }

  /** What a subscriber does meanwhile finds the session busy; only the end of the session comes before the turn. */
  private removeMessages(removed: readonly string[]): void {
    this.starting = true;
    try {
      this.options.core.emitSession({ type: 'conversationReplaced', reason: 'retry', removed });
    } finally {
      this.starting = false;
    }
    this.options.assertFree();
  }

  cancel({ immediate = false, sideEffects = 'rollback' }: CancelOptions = {}): Promise<CancelReport> {
    const { core } = this.options;
    const landed = core.state.phase;
    const { running } = this;
    const tooLate = landed === 'committing' || landed === 'rolling-back';
    if (running === null) return Promise.resolve(cancelReport(landed, null));
    if (!tooLate) this.request(running.turn, immediate ? 'abort' : 'cancel', sideEffects);
    return running.ended.then((terminal) => {
      const record = core.state.turns.findLast((turn) => turn.id === terminal.turnId);
      return cancelReport(landed, record ?? null);
    });
  }

  /** The hard level: an aborted signal, or nobody listens to `turn$` any more. */
  abort(turn: Turn): void {
    if (this.running?.turn === turn) this.request(turn, 'abort', 'rollback');
  }

  respond(requestId: string, decision: Decision): Answer {
    return this.running?.turn.desk.respond(requestId, decision) ?? 'already-settled';
  }

  private request(turn: Turn, level: CancelLevel, sideEffects: SideEffects): void {
    const { cancellation } = turn;
    const { phase } = this.options.core.state;
    if (cancellation.level === 'abort' || phase === 'committing' || phase === 'rolling-back') return;
    // Asking twice is asking for more.
    cancellation.raise(cancellation.level === null ? level : 'abort', sideEffects);
    this.emit(turn, {
      type: 'cancelRequested',
      level: cancellation.level ?? level,
      sideEffects: cancellation.sideEffects,
    });
    cancellation.notify();
  }

  private emit(turn: Turn, fact: TurnFact): Operation {
    const { core } = this.options;
    // Whoever hears of the end finds the session idle, and may send again.
    if (
      fact.type === 'completed' ||
      fact.type === 'stopped' ||
      fact.type === 'cancelled' ||
      fact.type === 'failed'
    ) {
      this.running = null;
    }
    return core.emitTurn(turn.id, fact);
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
    const { ports, tools, host } = this.options;
    const { limits } = settings;
    const clock = new TurnClock(ports.clock, limits.timeoutMs);
    const turn: Turn = {
      id: ports.ids.next('turn'),
      input,
      ...(retryOf === undefined ? {} : { retryOf }),
      settings,
      ports,
      tools,
      arguments: this.options.arguments,
      cancellation: new Cancellation(),
      clock,
      spending: new Spending(limits, clock),
      repeated: new RepeatedCalls(),
      desk: new ConfirmationDesk(ports.clock, limits.confirmationTimeoutMs),
      transaction: new TurnTransaction(
        this.options.history,
        host.readRevisions,
        ports.clock,
        limits.revertTimeoutMs,
      ),
      revisions: new TurnRevisions(() => host.readRevisions()),
      running: new Map(),
      state: () => this.options.core.state,
      host,
      round: null,
      ending: null,
    };
    this.lastOptions = { turnId: turn.id, options };
    return { turn, signal: options.signal, removed: [] };
  }
}

function brokenTurn({ spending }: Turn, thrown: unknown): TurnFact {
  const error = toSessionError(thrown, 'provider-contract', 'The turn failed unexpectedly.');
  const report = { done: [], failed: [], irreversible: [] };
  return { type: 'failed', error: error.toJSON(), report, usage: spending.usage, rounds: spending.rounds };
}
