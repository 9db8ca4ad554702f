import { AgentSessionError, messageOf } from '@handrail/session/provider';
import {
  createWire,
  eventsIn,
  fieldsOf,
  idempotencyHeaders,
  jsonIn,
  learnKeyOf,
  wiredClientOptions,
  withoutKeys,
  type EventFormat,
  type ServerEvent,
  type Wire,
} from '@handrail/wire';
import type { AnthropicClient, AnthropicOptions, GivenClientOptions } from './anthropic-options.js';

/** The official client, with everything that a request needs beside it. */
export interface Connection {
  readonly client: AnthropicClient;
  readonly wire: Wire;
  /** Headers of a request with this idempotency key. */
  headers(idempotencyKey: string): Record<string, string>;
}

/** The last of these means something to Anthropic alone, and only together with a key. */
const credentials = ['Authorization', 'X-Api-Key', 'anthropic-dangerous-direct-browser-access'];

/** `message_stop` ends a message. */
const format: EventFormat = {
  endMark: 'message_stop',
  hasEnd: (events) => eventsIn(events).some(isMessageStop),
};

/** Loads the official client and makes one that leaves retries to the session and is watched while it reads. */
export async function connect(options: AnthropicOptions): Promise<Connection> {
  const wire = createWire(options, format);
  const client = await makeClient(options, wire);
  learnKeyOf(client, wire);
  return { client, wire, headers: (key) => idempotencyHeaders(options, client.baseURL, key) };
}

async function makeClient(options: AnthropicOptions, wire: Wire): Promise<AnthropicClient> {
  const given = withoutVersion(wiredClientOptions(options, wire, credentials));
  if (options.client) {
    try {
      return await options.client(given);
    } catch (thrown) {
      throw refusedToBeMade(thrown, wire);
    }
  }
  const { Anthropic: Client } = await import('@anthropic-ai/sdk').catch((thrown: unknown) => {
    throw new AgentSessionError('network', 'The client for the model API could not be loaded.', {
      cause: thrown,
    });
  });
  try {
    return new Client(given);
  } catch (thrown) {
    throw refusedToBeMade(thrown, wire);
  }
}

function refusedToBeMade(thrown: unknown, { redact }: Wire): AgentSessionError {
  return new AgentSessionError('invalid-configuration', redact(messageOf(thrown)), {
    cause: withoutKeys(thrown, redact),
  });
}

/** The client adds `/v1/messages`; other clients want the version in the base URL, so it often stands there already. */
function withoutVersion({ baseURL, ...given }: GivenClientOptions): GivenClientOptions {
  return baseURL === undefined
    ? given
    : { ...given, baseURL: baseURL.replace(/\/+$/, '').replace(/\/v1$/, '') };
}

function isMessageStop({ data }: ServerEvent): boolean {
  return data.includes('message_stop') && fieldsOf(jsonIn(data))['type'] === 'message_stop';
}
