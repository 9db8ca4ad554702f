import type { JsonObject } from '@banister/provider';
import type { OpenAI } from 'openai';
import type { WiredClientOptions } from '@banister/wire';
import { checkServerOptions, invalidOption, type ServerOptions } from '@banister/wire/provider';

/**
 * Options that a client must be created with. With them the provider can watch its responses, and only the
 * session retries.
 */
export type GivenClientOptions = WiredClientOptions;

/** Options of {@link openai}. Only `model` is required. */
export interface OpenAIOptions extends ServerOptions {
  /**
   * The API of the server. `chat` (default) is Chat Completions, which most other servers imitate. With
   * `responses`, a reasoning model gets its own encrypted reasoning back between two tool calls; nothing is
   * stored at the server.
   */
  readonly api?: 'chat' | 'responses' | undefined;
  /**
   * The API key, or a function that fetches a short-lived key before each request. **A key belongs on a
   * server:** every visitor of a page can read it. So a key throws in a browser, unless
   * `dangerouslyAllowBrowser` is set.
   *
   * Without a key, `baseURL` must name a server that needs no key (your own proxy, Ollama); no
   * `Authorization` header is sent to it. Without a key and without a `baseURL`, `OPENAI_API_KEY` is read
   * from the environment.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * The address of the API, up to the part before `/chat/completions` or `/responses`. In a browser it may be relative to the page:
   * `/api/ai`. Default: `OPENAI_BASE_URL` from the environment, else OpenAI.
   */
  readonly baseURL?: string | undefined;
  /**
   * Makes another official client instead of `OpenAI`. The client must be made with the given options.
   *
   * @example
   * openai({
   *   model: 'my-deployment',
   *   client: async (options) => {
   *     const { AzureOpenAI } = await import('openai');
   *     return new AzureOpenAI({ ...options, endpoint, apiKey, apiVersion: '2024-10-21' });
   *   },
   * });
   */
  readonly client?: ((options: GivenClientOptions) => OpenAI | Promise<OpenAI>) | undefined;
  /**
   * With `api: 'responses'`: requests the model's reasoning in encrypted form, to return it. Default true.
   * Set false for models without reasoning, because some of them refuse such a request.
   */
  readonly encryptedReasoning?: boolean | undefined;
  /**
   * With `api: 'chat'`: the field that limits an answer's length. Default `max_completion_tokens`; some
   * servers accept only the older `max_tokens`.
   */
  readonly maxTokensField?: 'max_completion_tokens' | 'max_tokens' | undefined;
  /** With `api: 'chat'`: requests token counts. Default true; a few servers refuse such a request. */
  readonly includeUsage?: boolean | undefined;
  /**
   * More fields for the request body, for example `{ temperature: 0.2, reasoning_effort: 'low' }`, or with
   * `api: 'responses'` `{ reasoning: { effort: 'low', summary: 'auto' } }`. The fields of the session (model,
   * messages, tools, streaming, storing nothing) cannot be overridden. With `api: 'responses'`, the lists
   * `tools` (for tools that the server runs itself, such as `{ type: 'web_search' }`) and `include` are
   * appended to the session's lists.
   */
  readonly extraBody?: JsonObject | undefined;
}

/** Throws `invalid-configuration` for options that cannot work, or that would show a key to every visitor of a page. */
export function checkOptions(options: OpenAIOptions): void {
  checkServerOptions(options, 'openai', options.client !== undefined);
  if (options.api !== undefined && options.api !== 'chat' && options.api !== 'responses') {
    throw invalidOption(`The option api is "chat" or "responses"; got ${JSON.stringify(options.api)}.`);
  }
}
