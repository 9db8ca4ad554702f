import { tokenFields, type UsageReport } from './usage-report.js';

/** Returns true if two reports have the same amounts in the same fields. */
export function sameUsage(a: UsageReport | null, b: UsageReport | null): boolean {
  if (a === null || b === null) return a === b;
  return (
    tokenFields.every((field) => a[field] === b[field]) &&
    a.cost?.amount === b.cost?.amount &&
    a.cost?.currency === b.cost?.currency
  );
}

/** Returns the total of tokens; undefined if the report has neither the total nor input or output. */
export function totalTokensOf(usage: UsageReport | null): number | undefined {
  if (usage === null) return undefined;
  if (usage.totalTokens !== undefined) return usage.totalTokens;
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) return undefined;
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
}
