import type { Provider } from './provider.js';

/** Returns a provider that differs from another one in its stream alone. */
export function withStream(provider: Provider, stream: Provider['stream']): Provider {
  return {
    id: provider.id,
    model: provider.model,
    server: provider.server,
    account: provider.account,
    // A getter: the capabilities of some providers change with their first answer.
    get capabilities() {
      return provider.capabilities;
    },
    stream,
    validateTools: provider.validateTools?.bind(provider),
  };
}
