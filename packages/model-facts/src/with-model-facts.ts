import { withPrice, type Provider } from '@handrail/session/provider';
import { modelFacts, type ModelFacts } from './model-facts.js';
import { visionOf } from './vision-of.js';

export interface ModelFactsOptions {
  /** Who sells the model, as the price lists call them. Default: the provider's `id`, which is right for the vendors' own. */
  readonly vendor?: string | undefined;
  /** The model's name in the price lists, where you call it otherwise: a deployment, an alias of your proxy. */
  readonly model?: string | undefined;
  /** Whether the model accepts images, where you know better than the table of this package. */
  readonly images?: boolean | undefined;
}

/**
 * The same provider, with the facts of its model: usage reports tell what they cost, so that `budget.cost` and the limit
 * `maxCost` work, and the context window is known once the first answer was asked for. What the provider or its server
 * says itself goes before; only images are refused at once for a model that is known to see none, since providers say yes
 * where they were told nothing. A model that is in no list stays as it was.
 *
 * The lists are loaded with the first request; when they cannot be loaded, it fails as `network` before anything was sent,
 * since a limit on costs that nobody counts would be none.
 *
 * @example
 * const provider = withModelFacts(openai({ model: 'gpt-5-mini', baseURL: '/api/ai' }));
 * const session = createAgentSession({ provider, limits: { maxCost: 0.05 } });
 */
export function withModelFacts(
  provider: Provider,
  { vendor = provider.id, model = provider.model, images }: ModelFactsOptions = {},
): Provider {
  const isBlind = visionOf(vendor, model) === false;
  let loading: Promise<void> | undefined;
  let facts: ModelFacts | null = null;
  const load = () =>
    (loading ??= modelFacts(vendor, model).then(
      (known) => void (facts = known),
      (error: unknown) => {
        loading = undefined; // a chunk that did not load once may load the next time
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
