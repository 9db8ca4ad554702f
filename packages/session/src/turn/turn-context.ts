import type { FittedMessages } from '../context/fit-messages.js';
import { Spending } from '../limits/spending.js';
import { TurnClock } from '../limits/turn-clock.js';
import type { Observable } from '../operations/observable.js';
import type { TurnFact } from '../operations/operation.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { ClosureHistory } from '../undo/closure-history.js';
import { TurnTransaction } from '../undo/turn-transaction.js';
import { withContextTool } from './context-tool.js';
import { createSharedParts } from './shared-parts.js';
import type {
  Consent,
  Extensions,
  RunningCall,
  SharedParts,
  StagedTools,
  TurnRequest,
  TurnReview,
} from './turn-request.js';
import { liveTurnLog } from './turn-log.js';
import { TurnRevisions } from './turn-revisions.js';

/** Receives the facts of a turn. A fact is folded into the state when `emit` returns. */
export interface FactSink {
  emit(fact: TurnFact): void;
}

/** The way of a round to its answer, through all requests for it. */
export interface Asking {
  /** The number of the round, 1-based. */
  readonly number: number;
  /** The number of attempts that other providers made, or that do not count for the limit `maxRetries`. */
  before: number;
}

/** The parts of an open round that are no facts. */
export interface Round {
  /** 1-based. */
  readonly number: number;
  /** The conversation as the model accepts it. */
  readonly fitted: FittedMessages;
  contextLines: readonly string[];
  readonly asking: Asking;
  /** Builds the request once more, for the provider that the turn goes on with. `attempt` is the number of its first one. */
  askNext(attempt: number): Observable<TurnFact>;
  /** True while a call inside the answer is decided or runs. The batch of that call handles a cancel then. */
  innerCallRuns: boolean;
}

/** The objects that the stages of one turn share. */
export interface Turn extends Omit<TurnRequest, 'tools'>, SharedParts {
  readonly sink: FactSink;
  /** The tools that the model may call. The stage `discovered` replaces those of the request. */
  tools: ToolRegistry;
  /** Set by that stage; null where the model gets all tools at once. */
  discovery: StagedTools | null;
  readonly clock: TurnClock;
  readonly spending: Spending;
  readonly transaction: TurnTransaction;
  readonly revisions: TurnRevisions;
  /** Running calls of tools that are not `readOnly`, by their ids. They are cut when the turn ends. */
  readonly running: Map<string, RunningCall>;
  /** Ids of the calls that wait until the journal has their `toolStarted`; their executors are not called. */
  readonly unstarted: Set<string>;
  /** Decides about its calls; null before the first that needs it. */
  consent: Consent | null;
  /** Asks for more of a limit; null where a limit that trips ends the turn. */
  extensions: Extensions | null;
  /** The review of the effects; null where the turn has none. */
  review: TurnReview | null;
}

/** Creates the turn of a request, and starts its clock. */
export function createTurn(request: TurnRequest, sink: FactSink): Turn {
  const { settings, ports, history = new ClosureHistory(), host, current } = request;
  const { limits } = settings;
  const { budget, fold } = current();
  const clock = new TurnClock(ports.clock, { ...limits, ...fold.turn?.allowed }, budget.timeMs.spent);
  host.shared ??= createSharedParts(request);
  const running = new Map<string, RunningCall>();
  const { clock: time, validator } = ports;
  const limit = { clock: time, validator, revertTimeoutMs: limits.revertTimeoutMs };
  const log = liveTurnLog(request, (fact) => sink.emit(fact), running);
  const turn: Turn = {
    ...request,
    ...host.shared,
    tools: withContextTool(request.tools, settings.context, limits.contextTimeoutMs),
    discovery: null,
    sink,
    clock,
    spending: new Spending(limits, clock, current),
    transaction: new TurnTransaction(history, log, limit, request.reviewOf !== null),
    revisions: new TurnRevisions(host.shared.readRevisions, () => current().fold.turn?.revisions ?? null),
    running,
    unstarted: new Set(),
    consent: null,
    extensions: null,
    review: null,
  };
  turn.extensions = host.extensions = request.extensionsOf?.(turn) ?? null;
  turn.review = request.reviewOf?.(turn) ?? null;
  return turn;
}

/** Whether the end of the turn is decided: no further call starts. */
export function isStopped({ current }: Pick<Turn, 'current'>): boolean {
  return (current().fold.turn?.ending ?? null) !== null;
}
