import type { UsageReport } from '@handrail/session/provider';
import { fieldsOf, type Fields } from '@handrail/wire';

/** The token counts of a message as the API names them, gathered over its events. */
export type UsageFields = Readonly<Record<string, unknown>>;

/** Counts are totals that later events state anew, so the last value of each counts; none is ever added up. */
export function mergeUsage(known: UsageFields, stated: unknown): UsageFields {
  const told = Object.entries(fieldsOf(stated)).filter(([, value]) => value !== null);
  return { ...known, ...Object.fromEntries(told) };
}

/**
 * The counts as ours; null when there are none. The API leaves cached tokens out of `input_tokens`, we count them in: what
 * the API said is `inputTokens - cachedInputTokens - cacheWriteTokens`.
 */
export function readUsage(usage: UsageFields): UsageReport | null {
  const input = countOf(usage, 'input_tokens');
  const cached = countOf(usage, 'cache_read_input_tokens');
  const written = countOf(usage, 'cache_creation_input_tokens');
  const counts = {
    inputTokens: input === undefined ? undefined : input + (cached ?? 0) + (written ?? 0),
    outputTokens: countOf(usage, 'output_tokens'),
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: countOf(fieldsOf(usage['output_tokens_details']), 'thinking_tokens'),
  };
  // Unknown is not zero: what the server did not say has no field at all.
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return known.length === 0 ? null : (Object.fromEntries(known) as UsageReport);
}

function countOf(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
