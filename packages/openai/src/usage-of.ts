import type { UsageReport } from '@handrail/session/provider';
import { fieldsOf } from '@handrail/wire';

/** Token counts as a server stated them: anything, or nothing. */
export type StatedCounts = { readonly [C in Exclude<keyof UsageReport, 'cost'>]?: unknown };

/**
 * A usage report of what the server stated; null when it stated no count. Unknown is not zero: what the server did not
 * say has no field at all.
 */
export function usageOf(stated: StatedCounts, cost: unknown): UsageReport | null {
  const known = Object.entries(stated).filter(([, count]) => isCount(count));
  if (known.length === 0) return null;
  // OpenRouter states a number, Perplexity an object; both mean US dollars.
  const amount = [cost, fieldsOf(cost)['total_cost']].find(isCount);
  return {
    ...(Object.fromEntries(known) as UsageReport),
    ...(amount === undefined ? {} : { cost: { amount, currency: 'USD' } }),
  };
}

/** True for a number that counts something. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
