import type { Cost, UsageReport } from '../messages/usage-report.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { ProviderEvent } from './provider-event.js';
import type { Provider } from './provider.js';
import { withStream } from './with-stream.js';

/** The price of a model per million tokens, in units of the currency, as in the vendor's own price list. */
export interface ModelPrice {
  /** Input tokens that were neither read from a cache nor written into one. */
  readonly input: number;
  /** Input tokens that were read from a cache. Default: the price of `input`. */
  readonly cachedInput?: number | undefined;
  /** Input tokens that were written into a cache. Default: the price of `input`. */
  readonly cacheWrite?: number | undefined;
  /** Output tokens, including thinking. */
  readonly output: number;
  /** The currency by ISO 4217. Default `USD`. */
  readonly currency?: string | undefined;
}

const MILLION = 1_000_000;

/**
 * Returns the same provider with costs in its usage reports, which `lastUsageReport`, `budget.cost` and the limit `maxCost` need. If a
 * report already has a cost, the cost stays, because the server's figure is exact. If a report lacks the input or the output count, it gets
 * no cost, because unknown is not zero.
 *
 * @param price per million tokens; or a function from usage to cost, for other tariffs, which returns undefined for usage without a price
 * @throws AgentSessionError `invalid-configuration` for a price that is negative or not a number
 *
 * @example
 * const provider = withPrice(openai({ model: 'my-model', baseURL: '/api/ai' }), { input: 0.25, cachedInput: 0.025, output: 2 });
 * const session = createAgentSession({ provider, limits: { maxCost: 0.05 } });
 */
export function withPrice(
  provider: Provider,
  price: ModelPrice | ((usage: UsageReport) => Cost | undefined),
): Provider {
  if (typeof price !== 'function') checkPrice(price);
  if (provider.fallback)
    throw invalid('Each provider of a fallback has its own price: withFallback([withPrice(…), …]).');
  const priceOf = typeof price === 'function' ? price : (usage: UsageReport) => costOf(usage, price);
  async function* stream(...asked: Parameters<Provider['stream']>): AsyncGenerator<ProviderEvent, void> {
    for await (const event of provider.stream(...asked)) {
      yield event.type === 'usage' ? { ...event, usage: withCost(event.usage, priceOf) } : event;
    }
  }
  return withStream(provider, stream);
}

function withCost(usage: UsageReport, priceOf: (usage: UsageReport) => Cost | undefined): UsageReport {
  const cost = usage.cost ?? priceOf(usage);
  return cost === undefined ? usage : { ...usage, cost };
}

/**
 * Returns the cost of a usage; undefined if the report does not count both input and output tokens.
 *
 * @example
 * console.log(costOf({ inputTokens: 2_000_000, outputTokens: 100_000 }, { input: 1, output: 5 })?.amount); // 2.5
 */
export function costOf(usage: UsageReport, price: ModelPrice): Cost | undefined {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const { input, cachedInput = input, cacheWrite = input, output, currency = 'USD' } = price;
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const amount =
    (plain * input +
      cachedInputTokens * cachedInput +
      cacheWriteTokens * cacheWrite +
      outputTokens * output) /
    MILLION;
  return { amount, currency };
}

function checkPrice({ currency, ...amounts }: ModelPrice): void {
  for (const field of ['input', 'output'] as const) {
    if (amounts[field] === undefined) throw invalid(`A price needs "${field}", per million tokens.`);
  }
  for (const [field, amount] of Object.entries(amounts)) {
    if (amount === undefined) continue;
    if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0) {
      throw invalid(
        `The price "${field}" must be a number from 0 on, per million tokens; got ${String(amount)}.`,
      );
    }
  }
  if (currency !== undefined && !/^[A-Z]{3}$/.test(currency)) {
    throw invalid(`"${currency}" is no currency; use one such as "USD".`);
  }
}

function invalid(message: string): AgentSessionError {
  return new AgentSessionError('invalid-configuration', message);
}
