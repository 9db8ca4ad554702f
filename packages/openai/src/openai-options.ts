import type { OpenAI } from 'openai';
import type { JsonObject } from '@handrail/session/provider';
import {
  checkServerOptions,
  invalidOption,
  type ServerOptions,
  type WiredClientOptions,
} from '@handrail/wire';

/** What a client has to be made with, so that the provider can watch it and the session can retry. */
export type GivenClientOptions = WiredClientOptions;

/** What {@link openai} takes. Only `model` is always needed. */
export interface OpenAIOptions extends ServerOptions {
  /**
   * Which of OpenAI's APIs the server speaks. `chat` (default) is Chat Completions, which everybody imitates. `responses`
   * gives a reasoning model its own thoughts back, encrypted, between two tool calls; nothing is stored at the server.
   */
  readonly api?: 'chat' | 'responses' | undefined;
  /**
   * The API key, or a function that fetches a short-lived one before each request. **A key belongs on a server:** in a
   * browser every visitor can read it, so there it is refused unless `dangerouslyAllowBrowser` is set.
   *
   * Without a key, `baseURL` must name a server that needs none (your own proxy, Ollama); no `Authorization` header is
   * sent to it. Without a key and a `baseURL`, `OPENAI_API_KEY` is read from the environment.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Where the API lives, up to the part before `/chat/completions` or `/responses`. In a browser it may be relative to the page:
   * `/api/ai`. Default: `OPENAI_BASE_URL` from the environment, else OpenAI.
   */
  readonly baseURL?: string | undefined;
  /**
   * Makes the official client, for what needs another one. It must be given the options that it gets.
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
   * With `api: 'responses'`: asks for the model's reasoning in encrypted form, to return it. Default true; `false` for
   * models that do not reason, some of which refuse the question.
   */
  readonly encryptedReasoning?: boolean | undefined;
  /** With `api: 'chat'`: the field that bounds an answer's length; some servers only know the older `max_tokens`. */
  readonly maxTokensField?: 'max_completion_tokens' | 'max_tokens' | undefined;
  /** With `api: 'chat'`: asks for token counts. Default true; a few servers refuse the question. */
  readonly includeUsage?: boolean | undefined;
  /**
   * More fields for the request body, for example `{ temperature: 0.2, reasoning_effort: 'low' }`, or with
   * `api: 'responses'` `{ reasoning: { effort: 'low', summary: 'auto' } }`. What the session decides (model, messages,
   * tools, streaming, storing nothing) cannot be overridden; with `api: 'responses'`, the lists `tools` (for those that the
   * server runs itself, such as `{ type: 'web_search' }`) and `include` are added to.
   */
  readonly extraBody?: JsonObject | undefined;
}

/** Refuses options that cannot work, or that would give a key away. */
export function checkOptions(options: OpenAIOptions): void {
  checkServerOptions(options, 'openai', options.client !== undefined);
  if (options.api !== undefined && options.api !== 'chat' && options.api !== 'responses') {
    throw invalidOption(`The option api is "chat" or "responses"; got ${JSON.stringify(options.api)}.`);
  }
}
