import {
  modelsOf,
  providerOf,
  readModel,
  type Environment,
  type NamedModel,
} from '@banister/gateway/command';
import { modelFacts, withModelFacts } from '@banister/model-facts';
import type { Provider } from '@banister/provider';

/**
 * The models of the environment: as the command of the gateway offers them, or as BANISTER_MODELS names them, for example
 * `fast=openai:gpt-5-mini,smart=anthropic:claude-sonnet-5`. Empty without a key. Throws for an invalid name, and for a model without its key.
 */
export function offeredModels(env: Environment): readonly NamedModel[] {
  const named = env['BANISTER_MODELS'];
  const usual = modelsOf([], env);
  if (usual.length === 0 || !named) return usual;
  return modelsOf(
    named.split(',').map((text) => readModel(text.trim(), 'BANISTER_MODELS:')),
    env,
  );
}

/** Returns a provider with the prices and the context window of its model, if the price lists have the model. */
export async function pricedProvider(named: NamedModel, env: Environment): Promise<Provider> {
  const priced = withModelFacts(await providerOf(named, env));
  const contextWindow = (await modelFacts(named.vendor, named.model))?.contextWindow;
  return {
    ...priced,
    // The page asks for the window before the first request, and `withModelFacts` learns it only at the first request.
    get capabilities() {
      return { ...(contextWindow === undefined ? {} : { contextWindow }), ...priced.capabilities };
    },
  };
}
