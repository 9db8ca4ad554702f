import { gateway } from '@banister/gateway';
import { toNodeHandler } from '@banister/gateway/node';
import type { Provider } from '@banister/provider';
import { offeredModels, pricedProvider } from './models.ts';

/** The gateway of the demo, under the address of its page. */
export interface DemoGateway {
  readonly handle: (request: object, response: object) => Promise<void>;
  /** The models, by alias, with their names at the vendors. */
  readonly models: readonly { readonly alias: string; readonly name: string }[];
}

/** Returns the gateway for the keys of an environment. It serves only this machine. Rejects with `invalid-configuration` without a key. */
export async function demoGateway(env: Readonly<Record<string, string | undefined>>): Promise<DemoGateway> {
  const models = offeredModels(env);
  const provider: Record<string, Provider> = {};
  for (const model of models) provider[model.alias] = await pricedProvider(model, env);
  return {
    handle: toNodeHandler(gateway({ provider, open: 'localhost', seal: 'per-process' })),
    models: models.map(({ alias, model }) => ({ alias, name: model })),
  };
}
