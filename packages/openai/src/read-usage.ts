import { isJsonObject, type UsageReport } from '@banister/provider';
import { fieldsOf, type Fields } from '@banister/wire';

/** Token counts as a server stated them. Each may be missing or not a number. */
type StatedCounts = { readonly [C in Exclude<keyof UsageReport, 'cost'>]?: unknown };

/**
 * Returns the token counts of a chunk of Chat Completions, from any of the places in which servers state
 * them; null if there are none.
 */
export function readChatUsage(chunk: Fields, choice: Fields = {}, delta: Fields = {}): UsageReport | null {
  return readUsage(chunk['usage'], fieldsOf(chunk['x_groq'])['usage'], choice['usage'], delta['usage']);
}

/**
 * Returns the later report. A zero in it is replaced by the earlier count, because some servers end with a
 * report of zeros.
 */
export function laterUsage(known: UsageReport | null, later: UsageReport | null): UsageReport | null {
  if (known === null || later === null) return later ?? known;
  const counts = Object.entries(later).map(
    ([name, count]) => [name, count || known[name as keyof UsageReport]] as const,
  );
  return { ...later, ...Object.fromEntries(counts.filter(([, count]) => count !== undefined)) };
}

/** Returns the token counts of an event of the Responses API; null if it has none. */
export function readResponseUsage(event: Fields): UsageReport | null {
  return readUsage(fieldsOf(event['response'])['usage'], event['usage']);
}

/**
 * Returns the first stated counts. Names of both APIs are read, because servers that imitate one API mix
 * them.
 */
function readUsage(...stated: readonly unknown[]): UsageReport | null {
  const usage = stated.find(isJsonObject);
  if (usage === undefined) return null; // Nearly every event has no counts.
  const input = fieldsOf(usage['input_tokens_details'] ?? usage['prompt_tokens_details']);
  const output = fieldsOf(usage['output_tokens_details'] ?? usage['completion_tokens_details']);
  const counts = {
    inputTokens: usage['input_tokens'] ?? usage['prompt_tokens'],
    outputTokens: usage['output_tokens'] ?? usage['completion_tokens'],
    totalTokens: usage['total_tokens'],
    cachedInputTokens: [input['cached_tokens'], usage['prompt_cache_hit_tokens']].find(isCount),
    cacheWriteTokens: input['cache_write_tokens'],
    reasoningTokens: output['reasoning_tokens'],
  };
  return usageOf(counts, usage['cost']);
}

/**
 * Returns the stated counts as a report; null if there are none. An unknown count has no field, because it is
 * not zero.
 */
function usageOf(stated: StatedCounts, cost: unknown): UsageReport | null {
  const known = Object.entries(stated).filter(([, count]) => isCount(count));
  if (known.length === 0) return null;
  // OpenRouter states a number, Perplexity an object; both mean US dollars.
  const amount = [cost, fieldsOf(cost)['total_cost']].find(isCount);
  return {
    ...(Object.fromEntries(known) as UsageReport),
    ...(amount === undefined ? {} : { cost: { amount, currency: 'USD' } }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
