import { isJsonObject, type UsageReport } from '@handrail/session/provider';
import { fieldsOf } from '@handrail/wire';
import { usageOf } from '../usage-of.js';

/** The token counts of a response; null while it has none. */
export function readUsage(response: Readonly<Record<string, unknown>>): UsageReport | null {
  const usage = response['usage'];
  if (!isJsonObject(usage)) return null;
  const input = fieldsOf(usage['input_tokens_details']);
  const output = fieldsOf(usage['output_tokens_details']);
  return usageOf(
    {
      inputTokens: usage['input_tokens'],
      outputTokens: usage['output_tokens'],
      totalTokens: usage['total_tokens'],
      cachedInputTokens: input['cached_tokens'],
      cacheWriteTokens: input['cache_write_tokens'],
      reasoningTokens: output['reasoning_tokens'],
    },
    usage['cost'],
  );
}
