/** An amount of money. */
export interface Cost {
  /** The amount in units of the currency, not cents. */
  readonly amount: number;
  /** ISO 4217, for example `USD`. */
  readonly currency: string;
}

/**
 * The tokens used. Every field is optional, because unknown is not zero. Cached and reasoning tokens are included in `inputTokens` and
 * `outputTokens`.
 */
export interface UsageReport {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly totalTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly cost?: Cost | undefined;
}

/** Usage and cost of a whole session: of all its turns, including turns off the path to the head. */
export interface Totals {
  /** null if no turn has reported any usage. */
  readonly usage: UsageReport | null;
  /** null if no cost is known, and if turns were paid in different currencies. */
  readonly cost: Cost | null;
}

/** Returns the totals of a usage. */
export function totalsOf(usage: UsageReport | null): Totals {
  return { usage, cost: usage?.cost ?? null };
}

/** The fields of a report that count tokens. */
export const tokenFields = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const;

/**
 * Returns the sum of two reports, field by field, as a new object. A field that is in neither report is not in the sum. Costs of different
 * currencies cannot be added: then the sum has no cost.
 */
export function addUsage(a: UsageReport | null, b: UsageReport | null): UsageReport | null {
  if (a === null && b === null) return null;
  const sum: { -readonly [K in keyof UsageReport]: UsageReport[K] } = {};
  for (const field of tokenFields) {
    const [left, right] = [a?.[field], b?.[field]];
    if (left !== undefined || right !== undefined) sum[field] = (left ?? 0) + (right ?? 0);
  }
  const cost = a?.cost ?? b?.cost;
  if (!cost) return sum;
  const { currency } = cost;
  const other = a?.cost ? b?.cost : undefined;
  if (!other) sum.cost = copyOfCost(cost);
  else if (other.currency === currency) sum.cost = { amount: cost.amount + other.amount, currency };
  return sum;
}

/** Returns a copy with only these two fields, because a server or a guard may have added others. */
export function copyOfCost({ amount, currency }: Cost): Cost {
  return { amount, currency };
}
