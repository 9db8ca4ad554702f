import type { UndoItem, StopReason } from '../conversation/turn-record.js';
import type { UsageReport } from '../conversation/usage-report.js';
import { ConfirmationDesk } from '../guards/confirmation.js';
import { RepeatedCalls } from '../limits/repeated-calls.js';
import { Spending } from '../limits/spending.js';
import { TurnClock } from '../limits/turn-clock.js';
import type { TurnFact } from '../operations/operation.js';
import type { RequestedCall } from '../operations/tool-operations.js';
import type { ProviderEvent } from '../provider/provider-event.js';
import type { FoldState } from '../state/session-state.js';
import { createArgumentChecker } from '../tools/argument-checker.js';
import { UndoHistory } from '../undo/undo-history.js';
import { TurnTransaction } from '../undo/turn-transaction.js';
import { UndoStack } from '../undo/undo-stack.js';
import type { SharedParts, TurnRequest } from './turn-request.js';
import { liveTurnLog } from './live-turn-log.js';
import { TurnRevisions } from './turn-revisions.js';

/** The end of a turn that neither fails nor is cancelled. */
export type Ending = { readonly kind: 'completed' } | { readonly kind: 'stopped'; readonly stop: StopReason };

/** Receives the facts of a turn. A fact is folded into the state when `emit` returns. */
export interface FactSink {
  emit(fact: TurnFact): void;
}

/** One round, which its stages fill in. */
export interface Round {
  /** 1-based. */
  readonly number: number;
  contextLines: readonly string[];
  /** The `finish` event of the answer; null until the answer is whole. */
  finish: Omit<Extract<ProviderEvent, { type: 'finish' }>, 'type'> | null;
  /** Usage of this round's attempts. */
  usage: UsageReport | null;
  /** The calls that the answer requests; empty until it is whole. */
  calls: readonly RequestedCall[];
  /** The calls that the model made inside its own session so far, in order of arrival. */
  readonly innerCalls: InnerCallOfRound[];
  /** True while one of them is decided or runs. The batch of that call handles a cancel then. */
  innerCallRuns: boolean;
}

/** A call that the model made inside its answer. */
export interface InnerCallOfRound {
  readonly requested: RequestedCall;
  /** True when the model got a result before it made this call: the call begins a further message. */
  readonly opensMessage: boolean;
}

/** The objects that the stages of one turn share. */
export interface Turn extends TurnRequest, SharedParts {
  readonly sink: FactSink;
  readonly clock: TurnClock;
  readonly spending: Spending;
  readonly repeated: RepeatedCalls;
  readonly desk: ConfirmationDesk;
  readonly transaction: TurnTransaction;
  readonly revisions: TurnRevisions;
  /**
   * Running calls of tools that are not `readOnly`, with the effects that they recorded so far. They are cut when the turn
   * ends.
   */
  readonly running: Map<string, UndoItem>;
  /** The open round. */
  round: Round | null;
  /** Set by the round that ends the turn. */
  ending: Ending | null;
}

/** Creates the turn of a request, and starts its clock. */
export function createTurn(request: TurnRequest, sink: FactSink): Turn {
  const { settings, ports, history = new UndoHistory(), host } = request;
  const { limits } = settings;
  const clock = new TurnClock(ports.clock, limits.timeoutMs);
  host.shared ??= {
    arguments: createArgumentChecker(ports),
    undoStack: new UndoStack(() => request.state() as FoldState, host.readRevisions),
  };
  const running = new Map<string, UndoItem>();
  const limit = { clock: ports.clock, revertTimeoutMs: limits.revertTimeoutMs };
  const log = liveTurnLog(request, (fact) => sink.emit(fact), running);
  return {
    ...request,
    ...host.shared,
    sink,
    clock,
    spending: new Spending(limits, clock),
    repeated: new RepeatedCalls(),
    desk: new ConfirmationDesk(ports.clock, limits.confirmationTimeoutMs),
    transaction: new TurnTransaction(history, log, limit),
    revisions: new TurnRevisions(host.readRevisions),
    running,
    round: null,
    ending: null,
  };
}
