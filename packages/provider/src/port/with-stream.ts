import type { Provider } from './provider.js';

/** Returns a provider that differs from another provider only in its stream. */
export function withStream(provider: Provider, stream: Provider['stream']): Provider {
  return {
    id: provider.id,
    model: provider.model,
    server: provider.server,
    account: provider.account,
    // A getter, because the capabilities of some providers change with their first answer.
    get capabilities() {
      return provider.capabilities;
    },
    stream,
    validateTools: provider.validateTools?.bind(provider),
  };
}
