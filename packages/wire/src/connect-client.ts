import { AgentSessionError, isAgentSessionError, messageOf } from '@banister/provider';
import {
  addKeyOf,
  idempotencyHeaders,
  wiredClientOptions,
  type WiredClientOptions,
} from './client-options.js';
import { createWire, type Wire } from './create-wire.js';
import type { ServerOptions } from './server-options.js';
import type { EventFormat } from './watch-events.js';
import { errorWithoutKeys, withoutKeys } from './without-keys.js';

/** An official client, with the wire that it sends through. */
export interface Connection<Client> {
  readonly client: Client;
  readonly wire: Wire;
  /**
   * Returns the headers that send this idempotency key; empty if the server cannot be expected to allow them.
   */
  headers(idempotencyKey: string): Record<string, string>;
}

/** How the client of an API is made. */
export interface ClientKind<Client> {
  readonly format: EventFormat;
  /** Headers in which the client sends a key. They are left out if there is no key. */
  readonly credentials: readonly string[];
  make(given: WiredClientOptions): Client | Promise<Client>;
}

/**
 * Creates an official client. It does not retry, and its responses are watched while they are read.
 *
 * Rejects with the `AgentSessionError` that `make` throws, without keys; any other error becomes
 * `invalid-configuration`.
 */
export async function connectClient<Client extends { readonly baseURL: string; readonly apiKey?: unknown }>(
  options: ServerOptions,
  { format, credentials, make }: ClientKind<Client>,
): Promise<Connection<Client>> {
  const wire = createWire(options, format);
  try {
    const client = await make(wiredClientOptions(options, wire, credentials));
    addKeyOf(client, wire);
    return { client, wire, headers: (key) => idempotencyHeaders(options, client.baseURL, key) };
  } catch (thrown) {
    if (isAgentSessionError(thrown)) throw errorWithoutKeys(thrown, wire.redact);
    throw new AgentSessionError('invalid-configuration', wire.redact(messageOf(thrown)), {
      cause: withoutKeys(thrown, wire.redact),
    });
  }
}
