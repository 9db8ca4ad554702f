import type { Cost, UsageReport } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { totalTokensOf } from '@banister/provider/internal/messages/usage-amounts';
import { addUsage } from '@banister/provider/internal/messages/usage-report';
import { budgetLine, type Budget, type BudgetLine } from '../operations/budget.js';
import type { ExtendableLimit } from '../extension/extension-operations.js';
import type { SessionState } from '../state/session-state.js';
import type { TurnNotes } from '../state/turn-notes.js';
import type { LimitClock } from './limit-clock.js';
import type { Limits } from './limits.js';
import { givenLimit, tripError, type Trip } from './trip.js';
import { withNoun } from './with-noun.js';

/**
 * The codes of tripped limits. With `onTrip: 'stop'` or `'ask'` they stop the turn; otherwise the turn fails. A structured output has two
 * attempts: without a fitting one, a child turn stops, and a turn of `generate` fails.
 */
const limitCodes: ReadonlySet<string> = new Set([
  'max-rounds',
  'max-tool-calls',
  'max-calls-per-answer',
  'timeout',
  'token-budget',
  'cost-budget',
  'repeated-call',
  'structured-output-invalid',
]);

/** Returns true for the error of a tripped limit. */
export function isLimitError(error: AgentSessionError): boolean {
  return limitCodes.has(error.code);
}

/** The parts of the state from which the spending of the turn is read. */
export interface SpentState extends Pick<SessionState, 'budget' | 'lastUsageReport' | 'totals'> {
  readonly fold: { readonly turn: Pick<TurnNotes, 'allowed' | 'finishedUsage' | 'lastInputTokens'> | null };
}

/** An amount that the next fact spends, in addition to the state. */
interface NextAmount {
  readonly rounds?: number;
  readonly toolCalls?: number;
  readonly usage?: UsageReport | null;
}

/**
 * Reads the spending of one turn from the state, and checks it against the limits. The checking methods throw the error of an exceeded
 * limit. The counters change with the facts that have a budget.
 */
export class Spending {
  constructor(
    private readonly limits: Limits,
    private readonly clock: Pick<LimitClock, 'elapsed'>,
    private readonly state: () => SpentState,
  ) {}

  /** The number of rounds that were started. */
  get rounds(): number {
    return this.state().budget.rounds.spent;
  }

  /** Usage of the turn until now, including the running attempt. */
  get usage(): UsageReport | null {
    return this.state().lastUsageReport;
  }

  /** Returns the number of the next round. */
  nextRound(): number {
    throwTrip(this.roundTrip());
    return this.rounds + 1;
  }

  /** Returns the limit because of which no round may start; null if a round may start. */
  roundTrip(): Trip | null {
    const { rounds } = this;
    const allowed = this.allowed('maxRounds');
    if (rounds >= allowed) return { limit: 'maxRounds', spent: rounds, allowed };
    return this.sessionTrip((spent, limit) => spent >= limit) ?? this.usageTrip();
  }

  /** Returns true if the limits permit one more round, with a request as large as the last request. */
  get permitsRound(): boolean {
    const { rounds, timeMs, tokens, cost } = this.budget();
    const isLeft = ({ left }: BudgetLine, least = 0) => left === null || left > least;
    if (this.sessionTrip((spent, limit) => spent >= limit) !== null) return false;
    return isLeft(rounds) && isLeft(timeMs) && isLeft(cost) && isLeft(tokens, this.lastInputTokens ?? 0);
  }

  /** Returns the budget including the start of one more executor. */
  nextTool(): Budget {
    throwTrip(this.toolTrip());
    return this.budget({ toolCalls: this.state().budget.toolCalls.spent + 1 });
  }

  /** Returns the limit because of which no executor may start; null if one may start. */
  toolTrip(): Trip | null {
    const { spent } = this.state().budget.toolCalls;
    const allowed = this.allowed('maxToolCalls');
    return spent >= allowed ? { limit: 'maxToolCalls', spent, allowed } : null;
  }

  /** @param count the number of tool calls of the answer until now */
  checkCallsOfAnswer(count: number): void {
    const { maxCallsPerAnswer } = this.limits;
    if (count > maxCallsPerAnswer) {
      throw tripped(
        'max-calls-per-answer',
        `The model asked for more than ${withNoun(maxCallsPerAnswer, 'tool call')} in one answer.`,
        maxCallsPerAnswer,
      );
    }
  }

  /** Input tokens of the last request; null until the provider has reported them. */
  get lastInputTokens(): number | null {
    return this.state().fold.turn?.lastInputTokens ?? null;
  }

  /**
   * Returns the usage of the turn including the running attempt. Only the last report of an attempt counts, because providers report
   * totals.
   */
  usageWith(attempt: UsageReport): UsageReport | null {
    return addUsage(this.state().fold.turn?.finishedUsage ?? null, attempt);
  }

  /** Called with each usage report. With `ask` it does nothing: the answer arrives completely, and the next step asks the user for more. */
  checkUsage(): void {
    if (this.limits.onTrip !== 'ask') throwTrip(this.usageTrip());
  }

  /** Returns the exceeded limit of usage; null if none is exceeded. */
  usageTrip(): Trip | null {
    const { usage } = this;
    const isOver = (spent: number, limit: number) => spent > limit;
    return (
      this.tokenTrip('maxTokens', usage, isOver) ??
      this.costTrip('maxCost', usage?.cost, isOver) ??
      this.sessionTrip(isOver)
    );
  }

  /**
   * Checks the limits for all turns. Before a round, the limit trips if nothing is left; after a report, if more than the limit is spent.
   */
  sessionTrip(isOver: (spent: number, limit: number) => boolean): Trip | null {
    const { usage, cost } = this.state().totals;
    return (
      this.tokenTrip('session.maxTokens', usage, isOver) ?? this.costTrip('session.maxCost', cost, isOver)
    );
  }

  private tokenTrip(
    limit: 'maxTokens' | 'session.maxTokens',
    usage: UsageReport | null,
    isOver: (spent: number, limit: number) => boolean,
  ): Trip | null {
    const allowed = this.allowed(limit);
    const spent = totalTokensOf(usage) ?? 0;
    return isOver(spent, allowed) ? { limit, spent, allowed } : null;
  }

  private costTrip(
    limit: 'maxCost' | 'session.maxCost',
    cost: Cost | null | undefined,
    isOver: (spent: number, limit: number) => boolean,
  ): Trip | null {
    const allowed = this.allowed(limit);
    const spent = cost?.amount ?? 0;
    return isOver(spent, allowed) ? { limit, spent, allowed, currency: cost?.currency } : null;
  }

  /** Returns a limit including the extensions that the user gave. */
  private allowed(limit: ExtendableLimit): number {
    return this.state().fold.turn?.allowed?.[limit] ?? givenLimit(this.limits, limit);
  }

  /** Returns the budget after the next fact. */
  budget(next: NextAmount = {}): Budget {
    const { budget, lastUsageReport } = this.state();
    const {
      rounds = budget.rounds.spent,
      toolCalls = budget.toolCalls.spent,
      usage = lastUsageReport,
    } = next;
    return {
      rounds: budgetLine(rounds, this.allowed('maxRounds')),
      toolCalls: budgetLine(toolCalls, this.allowed('maxToolCalls')),
      timeMs: budgetLine(Math.round(this.clock.elapsed()), this.allowed('timeoutMs')),
      tokens: budgetLine(totalTokensOf(usage) ?? 0, this.allowed('maxTokens')),
      cost: budgetLine(usage?.cost?.amount ?? 0, this.allowed('maxCost')),
    };
  }
}

function throwTrip(trip: Trip | null): void {
  if (trip !== null) throw tripError(trip);
}

/** Returns the error of a limit. Its details have the limit, unless it is Infinity. */
export function tripped(code: AgentSessionError['code'], message: string, limit: number): AgentSessionError {
  return new AgentSessionError(code, message, { details: limit === Infinity ? {} : { limit } });
}
