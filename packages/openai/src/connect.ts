import { AgentSessionError } from '@banister/provider';
import type { OpenAI } from 'openai';
import { connectClient, type Connection, type EventFormat } from '@banister/wire';
import type { GivenClientOptions, OpenAIOptions } from './openai-options.js';

/** The official client, with the wire that it sends through. */
export type OpenAIConnection = Connection<OpenAI>;

/** `[DONE]` ends an answer of either API, and of every server that imitates them. */
const format: EventFormat = {
  endMark: '[DONE]',
  hasEnd: (events) => /(?:^|[\r\n])data: ?\[DONE\]/.test(events),
};

/** Makes the client with the function in the options, or else the official client. */
export function connect(
  options: OpenAIOptions,
  Client: typeof OpenAI | undefined,
): Promise<OpenAIConnection> {
  return connectClient(options, {
    format,
    credentials: ['Authorization'],
    make: (given) => (options.client ? options.client(given) : newClient(Client!, given)),
  });
}

/** The options were checked when the provider was made, so the client throws only for missing credentials. */
function newClient(Client: typeof OpenAI, given: GivenClientOptions): OpenAI {
  try {
    return new Client(given);
  } catch (cause) {
    throw new AgentSessionError('auth', 'There is no API key. Pass apiKey, or set OPENAI_API_KEY.', {
      cause,
    });
  }
}
