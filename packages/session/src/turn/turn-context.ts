import type { ResolvedMessages } from '../context/resolve-attachments.js';
import { AgentClock } from '../limits/agent-clock.js';
import { Spending } from '../limits/spending.js';
import { turnTime, type TurnTime } from '../limits/turn-time.js';
import type { Observable } from '../operations/observable.js';
import type { TurnFact } from '../operations/operation.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { ClosureHistory } from '../undo/closure-history.js';
import { TurnTransaction, type OpenTransaction } from '../undo/turn-transaction.js';
import type { BatchCall } from './batch-call.js';
import { withContextTool } from './context-tool.js';
import { createSharedParts } from './shared-parts.js';
import { liveTurnLog } from './turn-log.js';
import type { StagedTools, TurnParts } from './turn-parts.js';
import type { RunningCall, SharedParts, TurnRequest } from './turn-request.js';
import { TurnRevisions } from './turn-revisions.js';

/** Receives the facts of a turn. When `emit` returns, the fact has been folded into the state. */
export interface FactSink {
  emit(fact: TurnFact): void;
}

/** The requests of a round until its answer arrives. */
export interface Asking {
  /** The number of the round, 1-based. */
  readonly number: number;
  /** The number of attempts that do not count for the limit `maxRetries`, such as attempts of other providers. */
  before: number;
}

/** The data of an open round that is not in facts. */
export interface Round {
  /** 1-based. */
  readonly number: number;
  /** The conversation in the form that the model accepts. */
  readonly resolved: ResolvedMessages;
  contextLines: readonly string[];
  readonly asking: Asking;
  /** Builds the request again, for the provider with which the turn goes on. `attempt` is the number of its first attempt. */
  askNext(attempt: number): Observable<TurnFact>;
  /** True while a call inside the answer is being decided or runs. Meanwhile the batch of that call handles a cancel. */
  innerCallRuns: boolean;
}

/** The objects that the stages of one turn share. */
export interface Turn extends Omit<TurnRequest, 'tools'>, SharedParts {
  readonly sink: FactSink;
  /** The tools that the model may call. The stage `discovered` replaces the tools of the request. */
  tools: ToolRegistry;
  /** Set by the stage `discovered`; null if the model gets all tools at once. */
  discovery: StagedTools | null;
  /** The clocks of the turn, in which each agent of the turn has a part. */
  readonly time: TurnTime;
  /** The part of this agent in the time of the turn. */
  readonly clock: Pick<AgentClock, keyof AgentClock>;
  readonly spending: Spending;
  readonly transaction: OpenTransaction;
  /** Whether this session has put the turn down before. Then the turn goes on with the transaction that it had. */
  readonly wasPutDown: boolean;
  readonly revisions: TurnRevisions;
  /** Running calls of tools that are not `readOnly`, by call id. They are aborted when the turn ends. */
  readonly running: Map<string, RunningCall>;
  /** Ids of the calls that wait until the journal has stored their `toolStarted`. Their executors are not called yet. */
  readonly unstarted: Set<string>;
  /** The running calls of the batch, and the call that waits for its permission. */
  executing: ReadonlySet<BatchCall>;
  readonly parts: TurnParts;
}

/** Makes the parts of a turn. `parts` of the turn are set when the function has returned. */
export type MakeParts = (turn: Turn) => TurnParts;

export const noCalls: ReadonlySet<BatchCall> = new Set();

/** Creates the turn of a request with its parts, and starts its clock. */
export function createTurn(request: TurnRequest, sink: FactSink, makeParts: MakeParts): Turn {
  const { settings, ports, history = new ClosureHistory(), host, current } = request;
  const { limits } = settings;
  const { budget, fold } = current();
  const time = turnTime(ports.clock, { ...limits, ...fold.turn?.allowed }, budget.timeMs.spent);
  host.shared ??= createSharedParts(request);
  const before = host.putDown?.id === request.id ? host.putDown : null;
  const running = before?.running ?? new Map<string, RunningCall>();
  host.putDown = null;
  host.sink = sink;
  const { clock, validator } = ports;
  const limit = { clock, validator, revertTimeoutMs: limits.revertTimeoutMs };
  const log = liveTurnLog(request, (fact) => host.sink!.emit(fact), running);
  const turn: Omit<Turn, 'parts'> = {
    ...request,
    ...host.shared,
    tools: withContextTool(request.tools, settings.context, limits.contextTimeoutMs),
    discovery: null,
    sink,
    time,
    clock: new AgentClock(time),
    spending: new Spending(limits, time.timeoutMs, current),
    transaction:
      before?.transaction ?? new TurnTransaction(history, log, limit, request.options?.commit === 'review'),
    wasPutDown: before !== null,
    revisions: new TurnRevisions(host.shared.readRevisions, () => current().fold.turn?.revisions ?? null),
    running,
    unstarted: new Set(),
    executing: noCalls,
  };
  if (fold.turn?.children !== undefined) turn.transaction.keepForEnd();
  return Object.assign(turn, { parts: makeParts(turn as Turn) });
}

/** Returns true if the end of the turn is decided: no further call starts. */
export function isStopped({ current }: Pick<Turn, 'current'>): boolean {
  return (current().fold.turn?.ending ?? null) !== null;
}
