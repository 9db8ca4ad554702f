import { totalTokensOf } from '../conversation/usage-amounts.js';
import { addUsage, type UsageReport } from '../conversation/usage-report.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { defined } from '../json/defined.js';
import { budgetLine, type Budget, type BudgetLine } from '../operations/budget.js';
import type { SessionState } from '../state/session-state.js';
import type { TurnNotes } from '../state/turn-notes.js';
import type { Limits } from './limits.js';
import type { TurnClock } from './turn-clock.js';

/** The codes of tripped limits; with `onTrip: 'stop'` they stop the turn instead of failing it. */
const limitCodes: ReadonlySet<string> = new Set([
  'max-rounds',
  'max-tool-calls',
  'max-calls-per-answer',
  'timeout',
  'token-budget',
  'cost-budget',
  'repeated-call',
]);

/** True for the error of a tripped limit. */
export function isLimitError(error: AgentSessionError): boolean {
  return limitCodes.has(error.code);
}

/** The state of the turn that its spending is read from. */
interface SpentState extends Pick<SessionState, 'budget' | 'lastUsageReport' | 'totals'> {
  readonly fold: { readonly turn: TurnNotes | null };
}

/** An amount that the next fact spends, on top of the state. */
interface NextAmount {
  readonly rounds?: number;
  readonly toolCalls?: number;
  readonly usage?: UsageReport | null;
}

/**
 * Reads the spending of one turn from the state, and checks it against the limits. The methods that check throw the error of a limit
 * that is exceeded. The counters change with the facts whose budget holds them.
 */
export class Spending {
  constructor(
    private readonly limits: Limits,
    private readonly clock: TurnClock,
    private readonly state: () => SpentState,
  ) {}

  /** Rounds that were started. */
  get rounds(): number {
    return this.state().budget.rounds.spent;
  }

  /** Usage of the turn so far, the running attempt included. */
  get usage(): UsageReport | null {
    return this.state().lastUsageReport;
  }

  /** Returns the number of the next round. */
  nextRound(): number {
    const { maxRounds } = this.limits;
    const { rounds } = this;
    if (rounds >= maxRounds) {
      throw tripped('max-rounds', `The turn reached its limit of ${maxRounds} rounds.`, maxRounds);
    }
    this.checkSession((spent, limit) => spent >= limit);
    return rounds + 1;
  }

  /** Whether the limits permit one more round, with a request as large as the last one. */
  get permitsRound(): boolean {
    const { rounds, timeMs, tokens, cost } = this.budget();
    const isLeft = ({ left }: BudgetLine, least = 0) => left === null || left > least;
    const { maxTokens, maxCost } = this.limits.session;
    const { totals } = this.state();
    if ((totalTokensOf(totals.usage) ?? 0) >= maxTokens || (totals.cost?.amount ?? 0) >= maxCost)
      return false;
    return isLeft(rounds) && isLeft(timeMs) && isLeft(cost) && isLeft(tokens, this.lastInputTokens ?? 0);
  }

  /** Returns the budget with the start of one more executor. */
  nextTool(): Budget {
    const { maxToolCalls } = this.limits;
    const { spent } = this.state().budget.toolCalls;
    if (spent >= maxToolCalls) {
      throw tripped(
        'max-tool-calls',
        `The turn reached its limit of ${maxToolCalls} tool calls.`,
        maxToolCalls,
      );
    }
    return this.budget({ toolCalls: spent + 1 });
  }

  /** @param count the tool calls of the answer so far */
  checkCallsOfAnswer(count: number): void {
    const { maxCallsPerAnswer } = this.limits;
    if (count > maxCallsPerAnswer) {
      throw tripped(
        'max-calls-per-answer',
        `The model asked for more than ${maxCallsPerAnswer} tool calls in one answer.`,
        maxCallsPerAnswer,
      );
    }
  }

  /** Input tokens of the last request; null while the provider has reported none. */
  get lastInputTokens(): number | null {
    return this.state().fold.turn?.lastInputTokens ?? null;
  }

  /** Returns the usage of the turn with the running attempt, whose last report counts, since providers report totals. */
  usageWith(attempt: UsageReport): UsageReport | null {
    return addUsage(this.state().fold.turn?.finishedUsage ?? null, attempt);
  }

  checkUsage(): void {
    const { maxTokens, maxCost } = this.limits;
    const { usage } = this;
    if ((totalTokensOf(usage) ?? 0) > maxTokens) {
      throw tripped('token-budget', `The turn used more than its ${maxTokens} tokens.`, maxTokens);
    }
    if ((usage?.cost?.amount ?? 0) > maxCost) {
      const { currency } = usage?.cost ?? {};
      throw tripped(
        'cost-budget',
        `The turn cost more than its ${maxCost} ${currency ?? ''}.`,
        maxCost,
        currency,
      );
    }
    this.checkSession((spent, limit) => spent > limit);
  }

  /** Checks the limits of all turns together. Before a round nothing may be left, after a report more than the limit is spent. */
  private checkSession(isOver: (spent: number, limit: number) => boolean): void {
    const { maxTokens, maxCost } = this.limits.session;
    const { usage, cost } = this.state().totals;
    if (isOver(totalTokensOf(usage) ?? 0, maxTokens))
      throw sessionTripped('token-budget', `The session used its ${maxTokens} tokens.`, maxTokens);
    if (isOver(cost?.amount ?? 0, maxCost))
      throw sessionTripped(
        'cost-budget',
        `The session cost its ${maxCost} ${cost?.currency ?? ''}.`,
        maxCost,
        cost?.currency,
      );
  }

  /** Returns the budget after the next fact. */
  budget(next: NextAmount = {}): Budget {
    const { maxRounds, maxToolCalls, timeoutMs, maxTokens, maxCost } = this.limits;
    const { budget } = this.state();
    const { rounds = budget.rounds.spent, toolCalls = budget.toolCalls.spent, usage = this.usage } = next;
    return {
      rounds: budgetLine(rounds, maxRounds),
      toolCalls: budgetLine(toolCalls, maxToolCalls),
      timeMs: budgetLine(Math.round(this.clock.elapsed()), timeoutMs),
      tokens: budgetLine(totalTokensOf(usage) ?? 0, maxTokens),
      cost: budgetLine(usage?.cost?.amount ?? 0, maxCost),
    };
  }
}

/** Returns the error of a limit of the session. */
function sessionTripped(
  code: AgentSessionError['code'],
  message: string,
  limit: number,
  currency?: string,
): AgentSessionError {
  return new AgentSessionError(code, message, { details: defined({ limit, of: 'session', currency }) });
}

/** Returns the error of a limit; its details hold the limit, unless that is Infinity. */
export function tripped(
  code: AgentSessionError['code'],
  message: string,
  limit: number,
  currency?: string,
): AgentSessionError {
  const details = defined({ limit: limit === Infinity ? undefined : limit, currency });
  return new AgentSessionError(code, message, { details });
}
