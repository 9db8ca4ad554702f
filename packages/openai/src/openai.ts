import type { Provider } from '@banister/provider';
import { httpProvider } from '@banister/wire/provider';
import { checkOptions, type OpenAIOptions } from './openai-options.js';
import { validateTools } from './validate-tools.js';

/**
 * Returns a provider for OpenAI and for every server with its Chat Completions API or its Responses API. The
 * code for requests and answers and the official client are loaded at the first request; {@link
 * preloadOpenAI} loads them earlier.
 *
 * Throws `invalid-configuration` at once for options that cannot work. A turn fails with `network` if the
 * code cannot be loaded; the next turn tries again.
 *
 * @example
 * // on a server
 * const provider = openai({ model: 'gpt-5-mini', apiKey: process.env.OPENAI_API_KEY });
 *
 * @example
 * // the Responses API: a reasoning model gets its own reasoning back between two tool calls
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
  return httpProvider(options, {
    id: 'openai',
    // A tool message of Chat Completions can hold only text.
    imagesInResults: options.api === 'responses',
    // https://platform.openai.com/docs/api-reference/chat/create, as of November 2026.
    mostTools: 128,
    validateTools,
    async load() {
      const client = options.client ? undefined : loadClient();
      const [{ createStreamAnswer }, module] = await Promise.all([loadStreamAnswer(), client]);
      return createStreamAnswer(options, module?.OpenAI);
    },
  });
}

/**
 * Loads everything that the first request of {@link openai} would load, the official client included. It is
 * for pages that have to work offline later, or that should not wait at the first message.
 *
 * Rejects with the error of the platform's `import()` if a chunk cannot be loaded; a later call, or a
 * request, tries again.
 *
 * @example
 * await Promise.all([preloadTurns(), preloadOpenAI()]);
 */
export async function preloadOpenAI(): Promise<void> {
  await Promise.all([loadStreamAnswer(), loadClient()]);
}

function loadStreamAnswer() {
  return import('./stream-answer.js');
}

function loadClient() {
  return import('openai');
}
