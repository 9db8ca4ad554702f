import type { Cost, UsageReport } from '../conversation/usage-report.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { ProviderEvent } from './provider-event.js';
import type { Provider } from './provider.js';

/** What a model costs, per million tokens, in units of the currency. Take it from the vendor's own price list. */
export interface ModelPrice {
  /** Tokens that were read, and neither from a cache nor into one. */
  readonly input: number;
  /** Tokens that were read from a cache. Default: as `input`. */
  readonly cachedInput?: number | undefined;
  /** Tokens that were written into a cache. Default: as `input`. */
  readonly cacheWrite?: number | undefined;
  /** Tokens that were written, thinking included. */
  readonly output: number;
  /** ISO 4217. Default `USD`. */
  readonly currency?: string | undefined;
}

const MILLION = 1_000_000;

/**
 * The same provider, whose usage reports tell what they cost: `lastUsageReport`, `budget.cost` and the limit `maxCost` work
 * with it. A report that comes with a cost keeps it, since the server knows better; one without both counts, of what was
 * read and what was written, stays without a cost: unknown is not zero.
 *
 * Throws `invalid-configuration` for a price that is no number from 0 on.
 *
 * @param price per million tokens; or a function, for prices that depend on more: it gives undefined for what it does not know
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
  const priceOf = typeof price === 'function' ? price : (usage: UsageReport) => costOf(usage, price);
  async function* stream(...asked: Parameters<Provider['stream']>): AsyncGenerator<ProviderEvent, void> {
    for await (const event of provider.stream(...asked)) {
      yield event.type === 'usage' ? { ...event, usage: withCost(event.usage, priceOf) } : event;
    }
  }
  return {
    id: provider.id,
    model: provider.model,
    // Some learn what they can do from their first answer.
    get capabilities() {
      return provider.capabilities;
    },
    stream,
    ...(provider.validateTools ? { validateTools: provider.validateTools.bind(provider) } : {}),
  };
}

function withCost(usage: UsageReport, priceOf: (usage: UsageReport) => Cost | undefined): UsageReport {
  const cost = usage.cost ?? priceOf(usage);
  return cost === undefined ? usage : { ...usage, cost };
}

/**
 * What these tokens cost; undefined where the report does not count both what was read and what was written.
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
