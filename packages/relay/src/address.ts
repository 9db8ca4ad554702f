import { AgentSessionError, isAgentSessionError, messageOf } from '@banister/provider';

/** Returns an address without credentials and query, which may hold keys. */
export function addressOf(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
}

/** Names the address of the gateway in an error of the network, and keeps the secrets of the address out of its cause. */
export function withAddress(error: AgentSessionError, url: string): AgentSessionError {
  if (error.code !== 'network') return error;
  const { retry, details } = error;
  const address = addressOf(url);
  const message = error.message.replace(/\bgateway\b/, `gateway at ${address}`);
  const cause = withoutSecrets(error.cause, url, address);
  return new AgentSessionError('network', message, { retry, cause, details: { address, ...details } });
}

/** A platform repeats the address that it could not use. */
function withoutSecrets(cause: unknown, url: string, address: string): unknown {
  const message = messageOf(cause);
  return url === address || isAgentSessionError(cause) || !message.includes(url)
    ? cause
    : new Error(message.replaceAll(url, address));
}
