import { isJsonObject, type UsageReport } from '@banister/provider';
import { fieldsOf, type Fields } from '@banister/wire';

/** Token counts as a server stated them: each may be missing or no number. */
type StatedCounts = { readonly [C in Exclude<keyof UsageReport, 'cost'>]?: unknown };

/** The token counts of a chunk of Chat Completions, in any of the places where servers state them; null without any. */
export function readChatUsage(chunk: Fields, choice: Fields = {}, delta: Fields = {}): UsageReport | null {
  return readUsage(chunk['usage'], fieldsOf(chunk['x_groq'])['usage'], choice['usage'], delta['usage']);
}

/** The later report, with the counts of the earlier one in the place of zeros: some servers end with a report of zeros. */
export function laterUsage(known: UsageReport | null, later: UsageReport | null): UsageReport | null {
  if (known === null || later === null) return later ?? known;
  const counts = Object.entries(later).map(
    ([name, count]) => [name, count || known[name as keyof UsageReport]] as const,
  );
  return { ...later, ...Object.fromEntries(counts.filter(([, count]) => count !== undefined)) };
}

/** The token counts of an event of the Responses API; null while it has none. */
export function readResponseUsage(event: Fields): UsageReport | null {
  return readUsage(fieldsOf(event['response'])['usage'], event['usage']);
}

/** The first stated counts, by the names of either API: servers that imitate one of them mix them. */
function readUsage(...stated: readonly unknown[]): UsageReport | null {
  const usage = stated.find(isJsonObject);
  if (usage === undefined) return null; // as in nearly every event
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

/** The stated counts as a report; null without any. An unknown count has no field: it is not zero. */
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
