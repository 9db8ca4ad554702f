import { AgentSessionError, type Cost, type UsageReport } from '@banister/session/provider';
import { maxToolsOf } from './max-tools-of.js';
import { visionOf } from './vision-of.js';

/** Facts about a model. An unknown fact is undefined, never a guess. */
export interface ModelFacts {
  /** Size of the context window in tokens. */
  readonly contextWindow?: number | undefined;
  /** Whether it accepts images, from a small table of this package: the price lists lack it. */
  readonly vision?: boolean | undefined;
  /** The highest number of tools that one request may offer, from another table of this package. */
  readonly maxTools?: number | undefined;
  /** The cost of these tokens by the vendor's current price list; undefined when the report lacks input or output tokens. */
  costOf(usage: UsageReport): Cost | undefined;
}

/**
 * Looks a model up in the price lists of https://github.com/pydantic/genai-prices, which are loaded at the first call (a
 * chunk of its own, about 100 kB compressed). Resolves with null for a model that they lack.
 *
 * Rejects with `network` when that chunk cannot be loaded.
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
        // Some servers report more cached tokens than input tokens, which the lists refuse.
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
