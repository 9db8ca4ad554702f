import type { Anthropic } from '@anthropic-ai/sdk';
import {
  connectClient,
  eventsIn,
  fieldsOf,
  jsonIn,
  type Connection,
  type EventFormat,
  type ServerEvent,
} from '@banister/wire';
import type { AnthropicClient, AnthropicOptions, GivenClientOptions } from './anthropic-options.js';

/** The official client, with the wire that it sends through. */
export type AnthropicConnection = Connection<AnthropicClient>;

/** The last header has a meaning only for Anthropic, and only together with a key. */
const credentials = ['Authorization', 'X-Api-Key', 'anthropic-dangerous-direct-browser-access'];

/** `message_stop` ends a message. */
const format: EventFormat = {
  endMark: 'message_stop',
  hasEnd: (events) => eventsIn(events).some(isMessageStop),
};

/** Makes the client with the function in the options, or else the official client. */
export function connect(
  options: AnthropicOptions,
  Client: typeof Anthropic | undefined,
): Promise<AnthropicConnection> {
  return connectClient<AnthropicClient>(options, {
    format,
    credentials,
    make(given) {
      const clientOptions = withoutVersion(given);
      return options.client ? options.client(clientOptions) : new Client!(clientOptions);
    },
  });
}

/**
 * The client adds `/v1/messages`. The base URLs of other clients contain the version, so it is often there
 * already.
 */
function withoutVersion({ baseURL, ...given }: GivenClientOptions): GivenClientOptions {
  return baseURL === undefined
    ? given
    : { ...given, baseURL: baseURL.replace(/\/+$/, '').replace(/\/v1$/, '') };
}

function isMessageStop({ data }: ServerEvent): boolean {
  return data.includes('message_stop') && fieldsOf(jsonIn(data))['type'] === 'message_stop';
}
