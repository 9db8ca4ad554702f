import { withPrice, type Provider } from '@banister/provider';
import { modelFacts, type ModelFacts } from './model-facts.js';
import { maxToolsOf } from './max-tools-of.js';
import { visionOf } from './vision-of.js';

/** Options of {@link withModelFacts}. */
export interface ModelFactsOptions {
  /** The vendor's id in the price lists. Default: the provider's `id`, which is right for the vendors' own servers. */
  readonly vendor?: string | undefined;
  /** The model's name in the price lists, for a deployment or an alias of your proxy. Default: the provider's `model`. */
  readonly model?: string | undefined;
  /** Whether the model accepts images; overrides the table of this package. */
  readonly images?: boolean | undefined;
}

/**
 * Returns the provider with facts about its model. Usage reports get a cost, so that `budget.cost` and the limit `maxCost` work. The
 * context window is known from the first request on, the cap on tools at once. Values of the provider or its server take precedence;
 * only `capabilities.images` becomes false if the model is known to lack vision, because its default is true. If the lists do not have
 * the model, it gets no other facts.
 *
 * The first request loads the lists. If they cannot be loaded, it throws `network` before anything is sent, because a limit on unknown
 * costs would have no effect.
 *
 * @example
 * const provider = withModelFacts(openai({ model: 'gpt-5-mini', baseURL: '/api/ai' }));
 * const session = createAgentSession({ provider, limits: { maxCost: 0.05 } });
 */
export function withModelFacts(
  provider: Provider,
  { vendor = provider.id, model = provider.model, images }: ModelFactsOptions = {},
): Provider {
  const maxTools = maxToolsOf(vendor);
  const isBlind = visionOf(vendor, model) === false;
  let loading: Promise<void> | undefined;
  let facts: ModelFacts | null = null;
  const load = () =>
    (loading ??= modelFacts(vendor, model).then(
      (known) => void (facts = known),
      (error: unknown) => {
        loading = undefined; // A chunk that failed to load once may load the next time.
        throw error;
      },
    ));
  const priced = withPrice(provider, (usage) => facts?.costOf(usage));
  return {
    ...priced,
    get capabilities() {
      const { contextWindow } = facts ?? {};
      return {
        ...(contextWindow === undefined ? {} : { contextWindow }),
        ...(maxTools === undefined ? {} : { maxTools }),
        ...provider.capabilities,
        images: images ?? (provider.capabilities.images && !isBlind),
      };
    },
    async *stream(request, signal) {
      await load();
      yield* priced.stream(request, signal);
    },
  };
}
