import { AgentSessionError, type Cost, type UsageReport } from '@handrail/session/provider';
import { visionOf } from './vision-of.js';

/** What is known of a model. What is not known is undefined, never a guess. */
export interface ModelFacts {
  /** Size of the context window in tokens. */
  readonly contextWindow?: number;
  /** Whether it accepts images, from a small table of this package: the price lists do not say. */
  readonly vision?: boolean;
  /** What these tokens cost by the vendor's price list of today; undefined where the report does not count enough. */
  costOf(usage: UsageReport): Cost | undefined;
}

/**
 * Looks a model up among the price lists of https://github.com/pydantic/genai-prices, which are loaded at the first call (a
 * chunk of its own, about 100 kB compressed). Null for a model that is not among them.
 *
 * Rejects with `network` when that chunk cannot be loaded.
 *
 * @param vendor who sells it, as the data set calls them: `openai`, `anthropic`, `google`, `groq`, `mistral`, `azure`, …
 * @example
 * const facts = await modelFacts('openai', 'gpt-5-mini');
 * console.log(facts?.costOf({ inputTokens: 1_000_000, outputTokens: 0 })?.currency); // USD
 */
export async function modelFacts(vendor: string, model: string): Promise<ModelFacts | null> {
  const { calcPrice } = await import('@pydantic/genai-prices').catch((cause: unknown) => {
    throw new AgentSessionError('network', 'The price lists of models could not be loaded.', { cause });
  });
  const found = calcPrice({}, model, { providerId: vendor });
  if (found === null) return null;
  const { context_window: contextWindow } = found.model;
  const vision = visionOf(vendor, model);
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(vision === undefined ? {} : { vision }),
    costOf({ inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 }) {
      if (inputTokens === undefined || outputTokens === undefined) return undefined;
      const tokens = {
        // Servers miscount now and then; the lists refuse more cached tokens than there were.
        input_tokens: Math.max(inputTokens, cachedInputTokens + cacheWriteTokens),
        cache_read_tokens: cachedInputTokens,
        cache_write_tokens: cacheWriteTokens,
        output_tokens: outputTokens,
      };
      const price = calcPrice(tokens, model, { providerId: vendor });
      return price === null ? undefined : { amount: price.total_price, currency: 'USD' };
    },
  };
}
