import { deepFreeze } from '@banister/provider/internal/json/json';

/** The amount spent of one limit, and the amount left; `left` is null if there is no limit. */
export interface BudgetLine {
  readonly spent: number;
  readonly left: number | null;
}

/** Spent and left for each limit of the turn. */
export interface Budget {
  readonly rounds: BudgetLine;
  /** The number of executors that were started. */
  readonly toolCalls: BudgetLine;
  /**
   * Milliseconds, without the time in which a confirmation was open. It is updated by each operation that has a budget: the start and the
   * end of a round, the end of a model call or a tool call, usage, and the operation that ends the turn.
   */
  readonly timeMs: BudgetLine;
  /** Input and output together, over all rounds and attempts. */
  readonly tokens: BudgetLine;
  /** The cost, in the currency that the provider reports. */
  readonly cost: BudgetLine;
}

/** Returns a line of the budget. `left` is null if the limit is Infinity or undefined. */
export function budgetLine(spent: number, limit: number | undefined): BudgetLine {
  return { spent, left: limit === undefined || limit === Infinity ? null : Math.max(0, limit - spent) };
}

/**
 * The budget before the first turn. All sessions share this frozen object, so a reader of one state must not be able to change it for the
 * others.
 */
export const noBudget: Budget = deepFreeze({
  rounds: budgetLine(0, undefined),
  toolCalls: budgetLine(0, undefined),
  timeMs: budgetLine(0, undefined),
  tokens: budgetLine(0, undefined),
  cost: budgetLine(0, undefined),
});
