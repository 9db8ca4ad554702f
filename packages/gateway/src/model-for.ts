import type { Provider } from '@banister/provider';
import type { GatewayParts } from './gateway-parts.js';
import type { AgentPolicy } from './policy.js';
import { Refusal } from './refusal.js';

/**
 * Returns the alias that a request names, and its provider. Each permit has to allow the alias. An unknown alias is refused like an alias
 * that is not permitted.
 */
export function modelFor(
  { providers }: GatewayParts,
  permits: readonly Pick<AgentPolicy, 'models'>[],
  asked: string | undefined,
): { readonly alias: string; readonly provider: Provider } {
  const only = providers.size === 1 ? [...providers.keys()][0]! : 'default';
  const alias = asked ?? only;
  const provider = providers.get(alias);
  if (provider === undefined || permits.some(({ models }) => models?.includes(alias) === false))
    throw new Refusal(404, 'model', 'The gateway has no such model for this user.');
  return { alias, provider };
}
