import { isJsonObject, type UsageReport } from '@handrail/session/provider';
import { fieldsOf } from '../json-fields.js';

/** The token counts of a chunk, wherever its server puts them; null when it has none. */
export function readUsage(chunk: Readonly<Record<string, unknown>>): UsageReport | null {
  const stated = chunk['usage'] ?? fieldsOf(chunk['x_groq'])['usage'];
  if (!isJsonObject(stated)) return null; // as in nearly every chunk
  const usage = fieldsOf(stated);
  const input = fieldsOf(usage['prompt_tokens_details']);
  const output = fieldsOf(usage['completion_tokens_details']);
  const cost = costOf(usage['cost']);
  const counts = {
    inputTokens: countOf(usage['prompt_tokens']),
    outputTokens: countOf(usage['completion_tokens']),
    totalTokens: countOf(usage['total_tokens']),
    cachedInputTokens: countOf(input['cached_tokens']) ?? countOf(usage['prompt_cache_hit_tokens']),
    cacheWriteTokens: countOf(input['cache_write_tokens']),
    reasoningTokens: countOf(output['reasoning_tokens']),
  };
  // Unknown is not zero: what the server did not say has no field at all.
  const known = Object.entries(counts).filter(([, count]) => count !== undefined);
  if (known.length === 0) return null;
  return {
    ...(Object.fromEntries(known) as UsageReport),
    ...(cost === undefined ? {} : { cost: { amount: cost, currency: 'USD' } }),
  };
}

/** OpenRouter states a number, Perplexity an object; both mean US dollars. */
function costOf(cost: unknown): number | undefined {
  return countOf(cost) ?? countOf(fieldsOf(cost)['total_cost']);
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
