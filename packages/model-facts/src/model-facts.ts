import { AgentSessionError, type Cost, type UsageReport } from '@banister/provider';
import { maxToolsOf } from './max-tools-of.js';
import { visionOf } from './vision-of.js';

/** Facts about a model. An unknown fact is undefined, never a guess. */
export interface ModelFacts {
  /** Size of the context window in tokens. */
  readonly contextWindow?: number | undefined;
  /** Whether the model accepts images, from a small table of this package, because the price lists do not state it. */
  readonly vision?: boolean | undefined;
  /** The highest number of tools in a request, from another table of this package. */
  readonly maxTools?: number | undefined;
  /** The cost of these tokens by the vendor's current price list; undefined if the report lacks input or output tokens. */
  costOf(usage: UsageReport): Cost | undefined;
}

/**
 * Looks a model up in the price lists of https://github.com/pydantic/genai-prices. The first call loads the lists, a separate
 * chunk of about 100 kB compressed. Resolves with null if the lists do not have the model.
 *
 * Rejects with `network` if the chunk cannot be loaded.
 *
 * @param vendor the seller, by its id in the data set: `openai`, `anthropic`, `google`, `groq`, `mistral`, `azure`, …
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
  const maxTools = maxToolsOf(vendor);
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(vision === undefined ? {} : { vision }),
    ...(maxTools === undefined ? {} : { maxTools }),
    costOf({ inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 }) {
      if (inputTokens === undefined || outputTokens === undefined) return undefined;
      const tokens = {
        // Some servers report more cached tokens than input tokens, and the lists reject that.
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
