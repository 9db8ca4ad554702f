import { isAgentSessionError, type Provider } from '@handrail/session/provider';
import type { AnthropicOptions } from './anthropic-options.js';
import { askMessages } from './ask-messages.js';
import { checkOptions } from './check-options.js';
import { connect, type Connection } from './connect.js';
import { fromStream } from './from-stream.js';
import { validateTools } from './validate-tools.js';

/**
 * A provider for Anthropic's models and for every server that speaks their Messages API, on the official client, which is
 * loaded at the first request.
 *
 * Throws `invalid-configuration` at once for options that cannot work.
 *
 * @example
 * // on a server
 * const provider = anthropic({ model: 'claude-sonnet-5', apiKey: process.env.ANTHROPIC_API_KEY });
 *
 * @example
 * // in a browser: through your own proxy, which holds the key
 * const provider = anthropic({ model: 'claude-sonnet-5', baseURL: '/api/ai' });
 *
 * @example
 * // with thinking, and a search that the server does by itself
 * const provider = anthropic({
 *   model: 'claude-sonnet-5',
 *   thinking: { type: 'adaptive', display: 'summarized' },
 *   serverTools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
 * });
 */
export function anthropic(options: AnthropicOptions): Provider {
  checkOptions(options);
  let connection: Promise<Connection> | undefined;
  const connected = (): Promise<Connection> =>
    (connection ??= connect(options).catch((error: unknown) => {
      connection = undefined; // a chunk that did not load once may load the next time
      throw error;
    }));

  return {
    id: 'anthropic',
    model: options.model,
    capabilities: {
      images: options.images ?? true,
      ...(options.contextWindow === undefined ? {} : { contextWindow: options.contextWindow }),
    },
    stream: (request, signal) =>
      fromStream(() =>
        askMessages(request, signal, options, connected).catch((error: unknown) => {
          // The client looks for credentials once; the next request gets one that looks again.
          if (isAgentSessionError(error) && error.code === 'auth') connection = undefined;
          throw error;
        }),
      ),
    validateTools,
  };
}
