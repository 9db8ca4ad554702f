import type { UndoItem } from '../conversation/turn-record.js';
import { ConfirmationDesk } from '../guards/confirmation.js';
import { Spending } from '../limits/spending.js';
import { TurnClock } from '../limits/turn-clock.js';
import type { TurnFact } from '../operations/operation.js';
import { UndoHistory } from '../undo/undo-history.js';
import { TurnTransaction } from '../undo/turn-transaction.js';
import { createSharedParts } from './shared-parts.js';
import type { SharedParts, TurnRequest } from './turn-request.js';
import { liveTurnLog } from './turn-log.js';
import { TurnRevisions } from './turn-revisions.js';

/** Receives the facts of a turn. A fact is folded into the state when `emit` returns. */
export interface FactSink {
  emit(fact: TurnFact): void;
}

/** The parts of an open round that are no facts. */
export interface Round {
  /** 1-based. */
  readonly number: number;
  contextLines: readonly string[];
  /** True while a call inside the answer is decided or runs. The batch of that call handles a cancel then. */
  innerCallRuns: boolean;
}

/** The objects that the stages of one turn share. */
export interface Turn extends TurnRequest, SharedParts {
  readonly sink: FactSink;
  readonly clock: TurnClock;
  readonly spending: Spending;
  readonly desk: ConfirmationDesk;
  readonly transaction: TurnTransaction;
  readonly revisions: TurnRevisions;
  /**
   * Running calls of tools that are not `readOnly`, with the effects that they recorded so far. They are cut when the turn
   * ends.
   */
  readonly running: Map<string, UndoItem>;
  /** Ids of the calls that wait until the journal has their `toolStarted`; their executors are not called. */
  readonly unstarted: Set<string>;
}

/** Creates the turn of a request, and starts its clock. */
export function createTurn(request: TurnRequest, sink: FactSink): Turn {
  const { settings, ports, history = new UndoHistory(), host, current } = request;
  const { limits } = settings;
  const clock = new TurnClock(ports.clock, limits.timeoutMs, current().budget.timeMs.spent);
  host.shared ??= createSharedParts(request);
  const desk = new ConfirmationDesk(ports.clock, limits.confirmationTimeoutMs);
  host.desk = desk;
  const running = new Map<string, UndoItem>();
  const limit = { clock: ports.clock, revertTimeoutMs: limits.revertTimeoutMs };
  const log = liveTurnLog(request, (fact) => sink.emit(fact), running);
  return {
    ...request,
    ...host.shared,
    sink,
    clock,
    spending: new Spending(limits, clock, current),
    desk,
    transaction: new TurnTransaction(history, log, limit),
    revisions: new TurnRevisions(host.shared.readRevisions, () => current().fold.turn?.revisions ?? null),
    running,
    unstarted: new Set(),
  };
}

/** Whether the end of the turn is decided: no further call starts. */
export function isStopped({ current }: Pick<Turn, 'current'>): boolean {
  return (current().fold.turn?.ending ?? null) !== null;
}
