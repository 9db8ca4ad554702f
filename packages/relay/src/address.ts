import { AgentSessionError, isAgentSessionError, messageOf } from '@banister/provider';

/** Returns an address without credentials and query, which may hold keys. */
export function addressOf(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
}

/**
 * Adds the address of the gateway to a network error, and removes the secrets of the address from its cause.
 */
export function withAddress(error: AgentSessionError, url: string): AgentSessionError {
  if (error.code !== 'network') return error;
  const { retry, details } = error;
  const address = addressOf(url);
  const message = error.message.replace(/\bgateway\b/, `gateway at ${address}`);
  const cause = withoutSecrets(error.cause, url, address);
  return new AgentSessionError('network', message, { retry, cause, details: { address, ...details } });
}

/** Some platforms repeat the address that they could not use. */
function withoutSecrets(cause: unknown, url: string, address: string): unknown {
  const message = messageOf(cause);
  return url === address || isAgentSessionError(cause) || !message.includes(url)
    ? cause
    : new Error(message.replaceAll(url, address));
}
