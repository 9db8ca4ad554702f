import type { Provider } from '@handrail/session/provider';
import { ask } from './ask.js';
import { chatApi } from './chat/chat-api.js';
import { checkOptions } from './check-options.js';
import { connect, type Connection } from './connect.js';
import { fromStream } from './from-stream.js';
import type { OpenAIOptions } from './openai-options.js';
import { responsesApi } from './responses/responses-api.js';
import { validateTools } from './validate-tools.js';

/**
 * A provider for OpenAI and for every server that speaks its Chat Completions or its Responses API, on the official
 * client, which is loaded at the first request.
 *
 * Throws `invalid-configuration` at once for options that cannot work.
 *
 * @example
 * // on a server
 * const provider = openai({ model: 'gpt-5-mini', apiKey: process.env.OPENAI_API_KEY });
 *
 * @example
 * // the Responses API, which gives reasoning models back what they thought between two tool calls
 * const provider = openai({ model: 'gpt-5', api: 'responses', apiKey: process.env.OPENAI_API_KEY });
 *
 * @example
 * // in a browser: through your own proxy, which holds the key
 * const provider = openai({ model: 'gpt-5-mini', baseURL: '/api/ai' });
 *
 * @example
 * // a model on this machine
 * const provider = openai({ model: 'qwen3', baseURL: 'http://localhost:11434/v1' });
 */
export function openai(options: OpenAIOptions): Provider {
  checkOptions(options);
  const api = options.api === 'responses' ? responsesApi : chatApi;
  let connection: Promise<Connection> | undefined;
  const connected = (): Promise<Connection> =>
    (connection ??= connect(options).catch((error: unknown) => {
      connection = undefined; // a chunk that did not load once may load the next time
      throw error;
    }));

  return {
    id: 'openai',
    model: options.model,
    capabilities: {
      images: options.images ?? true,
      ...(options.contextWindow === undefined ? {} : { contextWindow: options.contextWindow }),
    },
    stream: (request, signal) => fromStream(() => ask(api, request, signal, options, connected)),
    validateTools,
  };
}
