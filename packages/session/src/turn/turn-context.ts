import type { UndoItem, StopReason } from '../conversation/turn-record.js';
import type { UsageReport } from '../conversation/usage-report.js';
import { ConfirmationDesk } from '../guards/confirmation.js';
import { RepeatedCalls } from '../limits/repeated-calls.js';
import { Spending } from '../limits/spending.js';
import { TurnClock } from '../limits/turn-clock.js';
import type { TurnFact } from '../operations/operation.js';
import type { RequestedCall } from '../operations/tool-operations.js';
import type { ProviderEvent } from '../provider/provider-event.js';
import { createArgumentChecker } from '../tools/argument-checker.js';
import { UndoHistory } from '../undo/undo-history.js';
import { TurnTransaction } from '../undo/turn-transaction.js';
import { UndoStack } from '../undo/undo-stack.js';
import type { LastingParts, TurnRequest } from './turn-request.js';
import { TurnRevisions } from './turn-revisions.js';

/** How a turn ends when nothing goes wrong. */
export type Ending = { readonly kind: 'completed' } | { readonly kind: 'stopped'; readonly stop: StopReason };

/** Where the facts of a turn go; they are in the state when a call returns. */
export interface FactSink {
  emit(fact: TurnFact): void;
}

/** One round as its stages see it. */
export interface Round {
  /** 1-based. */
  readonly number: number;
  contextLines: readonly string[];
  /** Why the answer ended; null until it is whole. */
  finish: Omit<Extract<ProviderEvent, { type: 'finish' }>, 'type'> | null;
  /** Usage of this round's attempts. */
  usage: UsageReport | null;
  /** The calls that the answer asked for, once it is whole. */
  calls: readonly RequestedCall[];
  /** The calls that the model made inside its own session so far, in order of arrival. */
  readonly innerCalls: InnerCallOfRound[];
  /** One of them is being decided or runs: a cancel is up to it, as it is up to a batch. */
  innerCallRuns: boolean;
}

/** A call that the model made while it answered. */
export interface InnerCallOfRound {
  readonly requested: RequestedCall;
  /** The model had read a result before it made this call, so that the two do not belong to one message. */
  readonly opensMessage: boolean;
}

/** Everything that the stages of one turn share. */
export interface Turn extends TurnRequest, LastingParts {
  readonly sink: FactSink;
  readonly clock: TurnClock;
  readonly spending: Spending;
  readonly repeated: RepeatedCalls;
  readonly desk: ConfirmationDesk;
  readonly transaction: TurnTransaction;
  readonly revisions: TurnRevisions;
  /** Calls that may change something and have not settled, with what they noted so far; when the turn ends they are cut. */
  readonly running: Map<string, UndoItem>;
  /** The open round. */
  round: Round | null;
  /** Set by the round that ends the turn. */
  ending: Ending | null;
}

/** The turn that a request asks for; its time begins. */
export function createTurn(request: TurnRequest, sink: FactSink): Turn {
  const { settings, ports, history = new UndoHistory(), host } = request;
  const { limits } = settings;
  const clock = new TurnClock(ports.clock, limits.timeoutMs);
  host.lasting ??= {
    arguments: createArgumentChecker(ports),
    undoStack: new UndoStack(host.readRevisions),
  };
  const running = new Map<string, UndoItem>();
  const limit = { clock: ports.clock, revertTimeoutMs: limits.revertTimeoutMs };
  return {
    ...request,
    ...host.lasting,
    sink,
    clock,
    spending: new Spending(limits, clock),
    repeated: new RepeatedCalls(),
    desk: new ConfirmationDesk(ports.clock, limits.confirmationTimeoutMs),
    transaction: new TurnTransaction(history, host.readRevisions, limit, running),
    revisions: new TurnRevisions(host.readRevisions),
    running,
    round: null,
    ending: null,
  };
}
