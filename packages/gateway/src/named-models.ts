import type { Provider } from '@banister/provider';
import { invalid } from './invalid.js';

/** The vendors whose keys the command reads. */
export type Vendor = 'openai' | 'anthropic';

/** A model of the command: `smart=anthropic:claude-sonnet-5`. */
export interface NamedModel {
  readonly alias: string;
  readonly vendor: Vendor;
  /** The vendor's name of the model. */
  readonly model: string;
}

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface VendorNames {
  readonly key: string;
  readonly baseURL: string;
  /** The model that is used if none is named. */
  readonly usual: string;
}

const vendors: { readonly [V in Vendor]: VendorNames } = {
  openai: { key: 'OPENAI_API_KEY', baseURL: 'OPENAI_BASE_URL', usual: 'gpt-5-mini' },
  anthropic: { key: 'ANTHROPIC_API_KEY', baseURL: 'ANTHROPIC_BASE_URL', usual: 'claude-sonnet-5' },
};

/**
 * Reads `alias=openai:model` or `alias=anthropic:model`. Throws `invalid-configuration` for any other form.
 *
 * @param source where the text comes from, for the message
 *
 * @example
 * console.log(readModel('smart=anthropic:claude-sonnet-5', '--model').vendor); // anthropic
 */
export function readModel(text: string, source: string): NamedModel {
  const [, alias, vendor, model] = /^([^=]+)=(openai|anthropic):(.+)$/.exec(text) ?? [];
  if (alias === undefined || vendor === undefined || model === undefined)
    throw invalid(`${source} "${text}" is not of the form alias=openai:model or alias=anthropic:model.`);
  return { alias, vendor: vendor as Vendor, model };
}

/**
 * Returns the models to serve: the named models, or if none is named, the usual model of each vendor whose key is set; the first of them
 * has the alias `default`. Throws `invalid-configuration` for a named model without its key. With `OPENAI_BASE_URL`, OpenAI needs no key.
 *
 * @example
 * const models = modelsOf([], process.env); // [] without a key
 */
export function modelsOf(named: readonly NamedModel[], env: Environment): readonly NamedModel[] {
  for (const { alias, vendor } of named)
    if (!hasKey(vendor, env)) throw invalid(`The model "${alias}" needs ${vendors[vendor].key}.`);
  if (named.length > 0) return named;
  return (['openai', 'anthropic'] as const)
    .filter((vendor) => hasKey(vendor, env))
    .map((vendor, place) => ({
      alias: place === 0 ? 'default' : vendor,
      vendor,
      model: vendors[vendor].usual,
    }));
}

/**
 * Returns the provider of a model, with the key and the server from the environment. It starts to load the code of the first request.
 *
 * @example
 * const provider = await providerOf(readModel('fast=openai:gpt-5-nano', '--model'), process.env);
 */
export async function providerOf(
  { vendor, model }: Pick<NamedModel, 'vendor' | 'model'>,
  env: Environment,
): Promise<Provider> {
  const { key, baseURL } = vendors[vendor];
  const settings = { model, apiKey: env[key] || undefined, baseURL: env[baseURL] || undefined };
  if (vendor === 'anthropic') {
    const { anthropic, preloadAnthropic } = await import('@banister/anthropic');
    preloadAnthropic().catch(toldByFirstRequest);
    return anthropic(settings);
  }
  const { openai, preloadOpenAI } = await import('@banister/openai');
  preloadOpenAI().catch(toldByFirstRequest);
  return openai(settings);
}

/** Ignores the error: the first request loads the code again, and fails with the same error. */
function toldByFirstRequest(): void {}

function hasKey(vendor: Vendor, env: Environment): boolean {
  return Boolean(env[vendors[vendor].key]) || (vendor === 'openai' && Boolean(env['OPENAI_BASE_URL']));
}
