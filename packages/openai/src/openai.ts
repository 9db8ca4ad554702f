import type { Provider } from '@handrail/session/provider';
import { askChat } from './chat/ask-chat.js';
import { fromStream } from './chat/from-stream.js';
import { checkOptions } from './check-options.js';
import { connect, type Connection } from './connect.js';
import type { OpenAIOptions } from './openai-options.js';
import { validateTools } from './validate-tools.js';

/**
 * A provider for OpenAI and for every server that speaks its Chat Completions API, on the official client, which is
 * loaded at the first request.
 *
 * Throws `invalid-configuration` at once for options that cannot work.
 *
 * @example
 * // on a server
 * const provider = openai({ model: 'gpt-5-mini', apiKey: process.env.OPENAI_API_KEY });
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
    stream: (request, signal) => fromStream(() => askChat(request, signal, options, connected)),
    validateTools,
  };
}
