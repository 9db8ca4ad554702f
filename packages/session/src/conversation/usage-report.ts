/** An amount of money. */
export interface Cost {
  /** In units of the currency, not cents. */
  readonly amount: number;
  /** ISO 4217, for example `USD`. */
  readonly currency: string;
}

/**
 * Tokens used. Every field is optional, since unknown is not zero. Cached and reasoning tokens are included in
 * `inputTokens` and `outputTokens`.
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

const tokenFields = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const;

/**
 * Returns the sum of two reports, field by field, as a new object. A field that is in neither report is not in the sum. Costs of
 * different currencies cannot be added: the sum has no cost then.
 */
export function addUsage(a: UsageReport | null, b: UsageReport | null): UsageReport | null {
  if (a === null || b === null) return copyOf(a ?? b);
  const sum: { -readonly [K in keyof UsageReport]: UsageReport[K] } = {};
  for (const field of tokenFields) {
    const [left, right] = [a[field], b[field]];
    if (left !== undefined || right !== undefined) sum[field] = (left ?? 0) + (right ?? 0);
  }
  if (a.cost && b.cost) {
    if (a.cost.currency === b.cost.currency) {
      sum.cost = { amount: a.cost.amount + b.cost.amount, currency: a.cost.currency };
    }
  } else if (a.cost ?? b.cost) sum.cost = copyOfCost((a.cost ?? b.cost)!);
  return sum;
}

function copyOf(usage: UsageReport | null): UsageReport | null {
  if (usage === null) return null;
  const copy: { -readonly [K in keyof UsageReport]: UsageReport[K] } = {};
  for (const field of tokenFields) if (usage[field] !== undefined) copy[field] = usage[field];
  if (usage.cost !== undefined) copy.cost = copyOfCost(usage.cost);
  return copy;
}

/** A copy with these two fields alone: a server or a guard may have added others. */
export function copyOfCost({ amount, currency }: Cost): Cost {
  return { amount, currency };
}

/** Whether two reports have the same amounts in the same fields. */
export function sameUsage(a: UsageReport | null, b: UsageReport | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    tokenFields.every((field) => a[field] === b[field]) &&
    a.cost?.amount === b.cost?.amount &&
    a.cost?.currency === b.cost?.currency
  );
}

/** Returns the total of tokens; undefined where the report counts neither the total nor input or output. */
export function totalTokensOf(usage: UsageReport | null): number | undefined {
  if (usage === null) return undefined;
  if (usage.totalTokens !== undefined) return usage.totalTokens;
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) return undefined;
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
}
