import type { OpenAI } from 'openai';
import { AgentSessionError, messageOf } from '@handrail/session/provider';
import {
  createWire,
  idempotencyHeaders,
  learnKeyOf,
  wiredClientOptions,
  withoutKeys,
  type EventFormat,
  type Wire,
} from '@handrail/wire';
import type { GivenClientOptions, OpenAIOptions } from './openai-options.js';

/** The official client, with everything that a request needs beside it. */
export interface Connection {
  readonly client: OpenAI;
  readonly wire: Wire;
  /** The address that requests go to; parts that only this server understands are returned to no other. */
  readonly server: string;
  /** Headers of a request with this idempotency key. */
  headers(idempotencyKey: string): Record<string, string>;
}

/** Both APIs, and all who imitate them: `[DONE]` ends an answer. */
const format: EventFormat = {
  endMark: '[DONE]',
  hasEnd: (events) => /(?:^|[\r\n])data: ?\[DONE\]/.test(events),
};

/** Loads the official client and makes one that leaves retries to the session and is watched while it reads. */
export async function connect(options: OpenAIOptions): Promise<Connection> {
  const wire = createWire(options, format);
  const client = await makeClient(options, wire);
  learnKeyOf(client, wire);
  return {
    client,
    wire,
    server: client.baseURL,
    headers: (key) => idempotencyHeaders(options, client.baseURL, key),
  };
}

async function makeClient(options: OpenAIOptions, wire: Wire): Promise<OpenAI> {
  const given: GivenClientOptions = wiredClientOptions(options, wire, ['Authorization']);
  if (options.client) {
    try {
      return await options.client(given);
    } catch (thrown) {
      throw new AgentSessionError('invalid-configuration', wire.redact(messageOf(thrown)), {
        cause: withoutKeys(thrown, wire.redact),
      });
    }
  }
  const { OpenAI: Client } = await import('openai').catch((thrown: unknown) => {
    throw new AgentSessionError('network', 'The client for the model API could not be loaded.', {
      cause: thrown,
    });
  });
  try {
    return new Client(given);
  } catch (thrown) {
    // It refuses only missing credentials: all else was checked when the provider was made.
    throw new AgentSessionError('auth', 'There is no API key. Pass apiKey, or set OPENAI_API_KEY.', {
      cause: thrown,
    });
  }
}
