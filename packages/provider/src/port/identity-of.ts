import type { ModelIdentity } from '../messages/model-identity.js';
import { defined } from '../json/defined.js';
import type { Provider } from './provider.js';

/** Returns the owner of the parts that a provider streams. The object is frozen. */
export function identityOf({
  id: provider,
  server,
  account,
  model,
}: Pick<Provider, 'id' | 'server' | 'account' | 'model'>): ModelIdentity {
  return Object.freeze(defined({ provider, server, account, model }));
}
