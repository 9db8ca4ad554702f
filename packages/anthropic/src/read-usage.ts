import type { UsageReport } from '@banister/provider';
import { fieldsOf, type Fields } from '@banister/wire';

/** The token counts of a message by the API's names, collected over its events. */
export type UsageFields = Readonly<Record<string, unknown>>;

/**
 * Merges stated counts. Counts are totals that later events repeat, so the last value of each count is kept,
 * and counts are never added.
 */
export function mergeUsage(known: UsageFields, stated: unknown): UsageFields {
  const given = Object.entries(fieldsOf(stated)).filter(
    // Some servers end with counts of zero.
    ([name, value]) => value !== null && (value !== 0 || typeof known[name] !== 'number'),
  );
  return { ...known, ...Object.fromEntries(given) };
}

/**
 * Returns the counts as a report; null if there are none. The API does not include cached tokens in
 * `input_tokens`, but the report does: the API's value is `inputTokens - cachedInputTokens -
 * cacheWriteTokens`.
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
  // A count that the server left out has no field, because unknown is not zero.
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  return known.length === 0 ? null : (Object.fromEntries(known) as UsageReport);
}

function countOf(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
