import { isJsonObject, type UsageReport } from '@handrail/session/provider';
import { fieldsOf } from '@handrail/wire';
import { isCount, usageOf } from '../usage-of.js';

/** The token counts of a chunk, wherever its server puts them; null when it has none. */
export function readUsage(chunk: Readonly<Record<string, unknown>>): UsageReport | null {
  const usage = chunk['usage'] ?? fieldsOf(chunk['x_groq'])['usage'];
  if (!isJsonObject(usage)) return null; // as in nearly every chunk
  const input = fieldsOf(usage['prompt_tokens_details']);
  const output = fieldsOf(usage['completion_tokens_details']);
  return usageOf(
    {
      inputTokens: usage['prompt_tokens'],
      outputTokens: usage['completion_tokens'],
      totalTokens: usage['total_tokens'],
      cachedInputTokens: [input['cached_tokens'], usage['prompt_cache_hit_tokens']].find(isCount),
      cacheWriteTokens: input['cache_write_tokens'],
      reasoningTokens: output['reasoning_tokens'],
    },
    usage['cost'],
  );
}
