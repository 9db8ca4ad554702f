import type { Provider } from '@banister/session/provider';
import { invalid } from './invalid.js';

/** The vendors whose keys the command reads. */
export type Vendor = 'openai' | 'anthropic';

/** A model of the command: `smart=anthropic:claude-sonnet-5`. */
export interface NamedModel {
  readonly alias: string;
  readonly vendor: Vendor;
  /** Its name at the vendor. */
  readonly model: string;
}

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface VendorNames {
  readonly key: string;
  readonly baseURL: string;
  /** The model that a key serves where none is named. */
  readonly usual: string;
}

const vendors: { readonly [V in Vendor]: VendorNames } = {
  openai: { key: 'OPENAI_API_KEY', baseURL: 'OPENAI_BASE_URL', usual: 'gpt-5-mini' },
  anthropic: { key: 'ANTHROPIC_API_KEY', baseURL: 'ANTHROPIC_BASE_URL', usual: 'claude-sonnet-5' },
};

/**
 * Reads `alias=openai:model` or `alias=anthropic:model`. Throws `invalid-configuration` for another form.
 *
 * @param source of the text, for the message
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
 * Returns the models that an environment has keys for: the named ones, or where none is named the usual one of each vendor, of which the first
 * has the alias `default`. Throws `invalid-configuration` for a named model without its key. `OPENAI_BASE_URL` alone names a server that needs none.
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
 * Returns the provider of a model, with the key and the server of an environment. The code of its first request begins to load.
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

/** It loads the code again, and fails with the error of that. */
function toldByFirstRequest(): void {}

function hasKey(vendor: Vendor, env: Environment): boolean {
  return Boolean(env[vendors[vendor].key]) || (vendor === 'openai' && Boolean(env['OPENAI_BASE_URL']));
}
