import type { ModelIdentity } from '@banister/provider';
import type { ServerOptions } from './server-options.js';

/**
 * Returns the owner of the parts that only this model can read. The fields `server` and `account` are
 * `default` if the options do not set them.
 *
 * @param provider the id of the adapter's providers
 */
export function identityIn(
  provider: string,
  { model, baseURL, account = 'default' }: Pick<ServerOptions, 'model' | 'baseURL' | 'account'>,
): Required<ModelIdentity> {
  return { provider, server: baseURL === undefined ? 'default' : withoutSecrets(baseURL), account, model };
}

/**
 * Returns an address without its trailing slash and without credentials and query, because these may hold
 * keys.
 */
export function withoutSecrets(baseURL: string): string {
  return baseURL
    .replace(/[?#].*$/, '')
    .replace(/\/\/[^/]*@/, '//')
    .replace(/\/+$/, '');
}
