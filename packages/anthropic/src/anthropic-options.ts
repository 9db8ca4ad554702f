import type { Anthropic } from '@anthropic-ai/sdk';
import type { ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages';
import type { JsonObject } from '@banister/provider';
import type { WiredClientOptions } from '@banister/wire';
import { checkServerOptions, invalidOption, type ServerOptions } from '@banister/wire/provider';

/**
 * Options that a client must be created with. With them the provider can watch its responses, and only the
 * session retries.
 */
export type GivenClientOptions = WiredClientOptions;

/** The part of an official client that is used. Anthropic's clients for other platforms have it too. */
export type AnthropicClient = Pick<Anthropic, 'post' | 'baseURL' | 'apiKey'>;

/** Options of {@link anthropic}. Only `model` is required. */
export interface AnthropicOptions extends ServerOptions {
  /**
   * The API key, or a function that fetches a short-lived key before each request. **A key belongs on a
   * server:** every visitor of a page can read it. So a key throws in a browser, unless
   * `dangerouslyAllowBrowser` is set.
   *
   * Without a key, `baseURL` must name a server that needs no key (your own proxy); no credentials are sent
   * to it. Without a key and without a `baseURL`, the official client looks for credentials where it always
   * does: `ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN`, its profiles.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * The address of the API, up to the part before `/v1/messages`. In a browser it may be relative to the page: `/api/ai`.
   * Default: `ANTHROPIC_BASE_URL` from the environment, else Anthropic.
   */
  readonly baseURL?: string | undefined;
  /**
   * The highest number of tokens of an answer, thinking included. The API requires this limit in every
   * request. A lower limit of the session takes precedence. Default 32,000, which every model since Claude 4
   * accepts: Opus 4 and 4.1 have the lowest maximum; the current models allow 64,000 or 128,000
   * (platform.claude.com/docs/models/overview).
   */
  readonly maxOutputTokens?: number | undefined;
  /**
   * The field `thinking` of the API: `{ type: 'adaptive' }`, or `{ type: 'enabled', budget_tokens: 4096 }` for models that
   * require a budget. Add `display: 'summarized'` for models that hide their thinking. Default: the model's own.
   */
  readonly thinking?: ThinkingConfigParam | undefined;
  /**
   * Marks the tools, the system prompt and the conversation so far for the server's cache. Reading from the
   * cache costs a tenth of plain input; writing to it costs a quarter more than plain input. So it saves
   * money from the second request on, and every tool call makes another request. `'1h'` caches for an hour
   * instead of five minutes; writing then costs twice the plain input. Default true.
   */
  readonly promptCaching?: boolean | '1h' | undefined;
  /**
   * Tools that the server runs itself, in the form of the API: `[{ type: 'web_search_20250305', name: 'web_search' }]`.
   * Their calls and results are opaque parts of the conversation; guards, limits and undo do not reach them.
   */
  readonly serverTools?: readonly JsonObject[] | undefined;
  /** Sent with every request; for example `anthropic-beta`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Makes another official client instead of `Anthropic`. The client must be made with the given options.
   *
   * @example
   * anthropic({
   *   model: 'anthropic.claude-sonnet-5',
   *   client: async (options) => {
   *     const { AnthropicBedrock } = await import('@anthropic-ai/bedrock-sdk');
   *     return new AnthropicBedrock({ ...options, awsRegion: 'eu-central-1' });
   *   },
   * });
   */
  readonly client?: ((options: GivenClientOptions) => AnthropicClient | Promise<AnthropicClient>) | undefined;
  /**
   * More fields for the request body, for example `{ temperature: 0.2 }` or `{ mcp_servers: […] }`. The fields of
   * the session (model, messages, tools, streaming) cannot be overridden.
   */
  readonly extraBody?: JsonObject | undefined;
}

/** Throws `invalid-configuration` for options that cannot work, or that would show a key to every visitor of a page. */
export function checkOptions(options: AnthropicOptions): void {
  const { maxOutputTokens, thinking, serverTools = [] } = options;
  checkServerOptions(options, 'anthropic', options.client !== undefined);
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && maxOutputTokens > 0)) {
    throw invalidOption('maxOutputTokens must be a whole number above zero.');
  }
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= (maxOutputTokens ?? Infinity)) {
    throw invalidOption('The thinking budget must be smaller than maxOutputTokens, which includes it.');
  }
  if (serverTools.some((tool) => typeof tool['name'] !== 'string' || typeof tool['type'] !== 'string')) {
    throw invalidOption('Each of serverTools needs a type and a name.');
  }
}
