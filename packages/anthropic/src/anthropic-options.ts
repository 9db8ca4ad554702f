import type { Anthropic } from '@anthropic-ai/sdk';
import type { ThinkingConfigParam } from '@anthropic-ai/sdk/resources/messages';
import type { JsonObject } from '@handrail/session/provider';
import {
  checkServerOptions,
  invalidOption,
  type ServerOptions,
  type WiredClientOptions,
} from '@handrail/wire';

/** What a client has to be made with, so that the provider can watch it and the session can retry. */
export type GivenClientOptions = WiredClientOptions;

/** The part of an official client that is used; those for other platforms have it too. */
export type AnthropicClient = Pick<Anthropic, 'post' | 'baseURL' | 'apiKey'>;

/** What {@link anthropic} takes. Only `model` is always needed. */
export interface AnthropicOptions extends ServerOptions {
  /**
   * The API key, or a function that fetches a short-lived one before each request. **A key belongs on a server:** in a
   * browser every visitor can read it, so there it is refused unless `dangerouslyAllowBrowser` is set.
   *
   * Without a key, `baseURL` must name a server that needs none (your own proxy); no credentials are sent to it. Without a
   * key and a `baseURL`, the official client looks for credentials where it always does: `ANTHROPIC_API_KEY`,
   * `ANTHROPIC_AUTH_TOKEN`, its profiles.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * Where the API lives, up to the part before `/v1/messages`. In a browser it may be relative to the page: `/api/ai`.
   * Default: `ANTHROPIC_BASE_URL` from the environment, else Anthropic.
   */
  readonly baseURL?: string | undefined;
  /**
   * Most tokens of an answer, thinking included. The API asks for a bound with every request. A lower limit of the session
   * goes first. Default 32,000, which every model since Claude 4 accepts: the smallest bound among them is that of
   * Opus 4 and 4.1; the current ones allow 64,000 or 128,000 (platform.claude.com/docs/models/overview).
   */
  readonly maxOutputTokens?: number | undefined;
  /**
   * How the model thinks, as the API takes it: `{ type: 'adaptive' }`, or `{ type: 'enabled', budget_tokens: 4096 }` for
   * models that want a budget. Add `display: 'summarized'` for models that would keep their thoughts to themselves.
   * Default: the model's own.
   */
  readonly thinking?: ThinkingConfigParam | undefined;
  /**
   * Marks what the server may keep for the next request: tools, system prompt, and the conversation so far. Reading it
   * again costs a tenth, keeping it a quarter more than plain input, so it pays from the second request on, and every
   * tool call makes one. `'1h'` keeps it for an hour in place of five minutes, and costs twice the plain input. Default true.
   */
  readonly promptCaching?: boolean | '1h' | undefined;
  /**
   * Tools that the server runs by itself, as the API takes them: `[{ type: 'web_search_20250305', name: 'web_search' }]`.
   * What they do stands in the conversation as opaque parts; guards, limits and undo do not reach them.
   */
  readonly serverTools?: readonly JsonObject[] | undefined;
  /** Sent with every request; for example `anthropic-beta`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Makes the official client, for what needs another one. It must be given the options that it gets.
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
   * More fields for the request body, for example `{ temperature: 0.2 }` or `{ mcp_servers: […] }`. What the session decides
   * (model, messages, tools, streaming) cannot be overridden.
   */
  readonly extraBody?: JsonObject | undefined;
}

/** Refuses options that cannot work, or that would give a key away. */
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
