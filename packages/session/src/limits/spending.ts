import { addUsage, totalTokensOf, type UsageReport } from '../conversation/usage-report.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { budgetLine, type Budget } from '../operations/budget.js';
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

/** Counts what one turn spends. The methods that spend or check throw the error of a limit that is exceeded. */
export class Spending {
  private roundsStarted = 0;
  private toolsStarted = 0;
  private finishedUsage: UsageReport | null = null;
  private attemptUsage: UsageReport | null = null;
  private lastInput: number | undefined;

  constructor(
    private readonly limits: Limits,
    private readonly clock: TurnClock,
  ) {}

  get rounds(): number {
    return this.roundsStarted;
  }

  /** Usage of the turn so far, the running attempt included. */
  get usage(): UsageReport | null {
    return addUsage(this.finishedUsage, this.attemptUsage);
  }

  startRound(): number {
    const { maxRounds } = this.limits;
    if (this.roundsStarted >= maxRounds) {
      throw tripped('max-rounds', `The turn reached its limit of ${maxRounds} rounds.`, maxRounds);
    }
    return ++this.roundsStarted;
  }

  startTool(): void {
    const { maxToolCalls } = this.limits;
    if (this.toolsStarted >= maxToolCalls) {
      throw tripped(
        'max-tool-calls',
        `The turn reached its limit of ${maxToolCalls} tool calls.`,
        maxToolCalls,
      );
    }
    this.toolsStarted++;
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

  /** Input tokens of the last request; undefined while the provider has reported none. */
  get lastInputTokens(): number | undefined {
    return this.lastInput;
  }

  /** Sets the usage of the running attempt: its last report counts, since providers report totals. */
  report(usage: UsageReport): void {
    // A copy: the report is the provider's own object, and a field of it may be undefined.
    this.attemptUsage = addUsage(usage, null);
    this.lastInput = usage.inputTokens ?? this.lastInput;
  }

  /** Ends the running attempt, adds its usage to the total, and returns it. */
  finishAttempt(): UsageReport | null {
    const usage = this.attemptUsage;
    this.finishedUsage = addUsage(this.finishedUsage, usage);
    this.attemptUsage = null;
    return usage;
  }

  checkUsage(): void {
    const { maxTokens, maxCost } = this.limits;
    const { usage } = this;
    if ((totalTokensOf(usage) ?? 0) > maxTokens) {
      throw tripped('token-budget', `The turn used more than its ${maxTokens} tokens.`, maxTokens);
    }
    if ((usage?.cost?.amount ?? 0) > maxCost) {
      throw tripped(
        'cost-budget',
        `The turn cost more than its ${maxCost} ${usage?.cost?.currency ?? ''}.`,
        maxCost,
      );
    }
  }

  budget(): Budget {
    const { maxRounds, maxToolCalls, timeoutMs, maxTokens, maxCost } = this.limits;
    return {
      rounds: budgetLine(this.roundsStarted, maxRounds),
      toolCalls: budgetLine(this.toolsStarted, maxToolCalls),
      timeMs: budgetLine(Math.round(this.clock.elapsed()), timeoutMs),
      tokens: budgetLine(totalTokensOf(this.usage) ?? 0, maxTokens),
      cost: budgetLine(this.usage?.cost?.amount ?? 0, maxCost),
    };
  }
}

/** Returns the error of a limit; its details hold the limit, unless that is Infinity. */
export function tripped(code: AgentSessionError['code'], message: string, limit: number): AgentSessionError {
  return new AgentSessionError(code, message, { details: limit === Infinity ? {} : { limit } });
}
