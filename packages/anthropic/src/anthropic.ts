import type { Provider } from '@banister/provider';
import { httpProvider } from '@banister/wire/provider';
import { checkOptions, type AnthropicOptions } from './anthropic-options.js';
import { validateTools } from './validate-tools.js';

/**
 * Returns a provider for Anthropic's models and for every server with their Messages API. The code for
 * requests and answers and the official client are loaded at the first request; {@link preloadAnthropic}
 * loads them earlier.
 *
 * Throws `invalid-configuration` at once for options that cannot work. A turn fails with `network` if the
 * code cannot be loaded; the next turn tries again.
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
 * // with thinking, and a search that the server runs itself
 * const provider = anthropic({
 *   model: 'claude-sonnet-5',
 *   thinking: { type: 'adaptive', display: 'summarized' },
 *   serverTools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
 * });
 */
export function anthropic(options: AnthropicOptions): Provider {
  checkOptions(options);
  return httpProvider(thinks(options) ? { toolChoices: ['none'], ...options } : options, {
    id: 'anthropic',
    validateTools,
    async load() {
      const client = options.client ? undefined : loadClient();
      const [{ createStreamAnswer }, module] = await Promise.all([loadStreamAnswer(), client]);
      return createStreamAnswer(options, module?.Anthropic);
    },
  });
}

/**
 * Loads everything that the first request of {@link anthropic} would load, the official client included. It
 * is for pages that have to work offline later, or that should not wait at the first message.
 *
 * Rejects with the error of the platform's `import()` if a chunk cannot be loaded; a later call, or a
 * request, tries again.
 *
 * @example
 * await Promise.all([preloadTurns(), preloadAnthropic()]);
 */
export async function preloadAnthropic(): Promise<void> {
  await Promise.all([loadStreamAnswer(), loadClient()]);
}

/** Returns whether the options let the model think. Then the API refuses a forced tool. */
function thinks({ thinking, extraBody }: AnthropicOptions): boolean {
  const { type = 'disabled' } = (thinking ?? extraBody?.['thinking'] ?? {}) as { readonly type?: string };
  return type !== 'disabled';
}

function loadStreamAnswer() {
  return import('./stream-answer.js');
}

function loadClient() {
  return import('@anthropic-ai/sdk');
}
