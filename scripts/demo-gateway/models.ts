import { anthropic } from '@handrail/anthropic';
import { modelFacts, withModelFacts } from '@handrail/model-facts';
import { openai } from '@handrail/openai';
import type { Provider } from '@handrail/session/provider';

type Env = Readonly<Record<string, string | undefined>>;
type Vendor = 'openai' | 'anthropic';

/** A model that the demo's gateway offers. */
export interface OfferedModel {
  readonly alias: string;
  readonly vendor: Vendor;
  /** Its name at the vendor. */
  readonly model: string;
}

const keyOf: { readonly [V in Vendor]: string } = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};
const usual: { readonly [V in Vendor]: string } = { openai: 'gpt-5-mini', anthropic: 'claude-sonnet-5' };

/**
 * The models that the environment offers: one for each vendor whose key is there, or those that HANDRAIL_MODELS names, as in
 * `fast=openai:gpt-5-mini,smart=anthropic:claude-sonnet-5`. None without a key. Throws for a name that cannot be read, and for a model without its key.
 */
export function offeredModels(env: Env): readonly OfferedModel[] {
  const vendors = (['openai', 'anthropic'] as const).filter((vendor) => env[keyOf[vendor]]);
  if (vendors.length === 0) return [];
  const named = env['HANDRAIL_MODELS'];
  if (named) return named.split(',').map((text) => namedModel(text.trim(), env));
  return vendors.map((vendor, place) => ({
    alias: place === 0 ? 'default' : vendor,
    vendor,
    model: usual[vendor],
  }));
}

function namedModel(text: string, env: Env): OfferedModel {
  const [, alias, vendor, model] = /^([^=]+)=(openai|anthropic):(.+)$/.exec(text) ?? [];
  if (alias === undefined || vendor === undefined || model === undefined)
    throw new Error(
      `HANDRAIL_MODELS: "${text}" is not of the form alias=openai:model or alias=anthropic:model.`,
    );
  const key = keyOf[vendor as Vendor];
  if (!env[key]) throw new Error(`HANDRAIL_MODELS: the model "${alias}" needs ${key}.`);
  return { alias, vendor: vendor as Vendor, model };
}

/** Returns a provider with the prices and the context window of its model, where the price lists have it. */
export async function providerOf({ vendor, model }: OfferedModel, env: Env): Promise<Provider> {
  const settings = {
    model,
    apiKey: env[keyOf[vendor]],
    baseURL: env[vendor === 'openai' ? 'OPENAI_BASE_URL' : 'ANTHROPIC_BASE_URL'] || undefined,
  };
  const priced = withModelFacts(vendor === 'openai' ? openai(settings) : anthropic(settings));
  const contextWindow = (await modelFacts(vendor, model))?.contextWindow;
  return {
    ...priced,
    // The page asks for the window before the first request, which is when `withModelFacts` learns it.
    get capabilities() {
      return { ...(contextWindow === undefined ? {} : { contextWindow }), ...priced.capabilities };
    },
  };
}
