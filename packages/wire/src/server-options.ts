import type { ToolChoiceKind } from '@banister/provider';
import type { AnswerLimits } from './answer-limits.js';

/** The options that all adapters to APIs over HTTP share. */
export interface ServerOptions {
  /** The model's name at the server. */
  readonly model: string;
  /** The API key, or a function that fetches a short-lived key before each request. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The address of the API. In a browser it may be relative to the page: `/api/ai`. */
  readonly baseURL?: string | undefined;
  /**
   * The name of the account that pays, in your own words; never a key. If you use several accounts at one
   * server, name each of them, because encrypted reasoning may go back only to the account that it came from.
   * Default `default`.
   */
  readonly account?: string | undefined;
  /**
   * Allows a key in a browser. Set it only for a key that the visitor typed in and that is kept in memory,
   * because every visitor can read a key that you ship. Default false.
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Used instead of the global `fetch`. It must honour `signal` and `redirect`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Whether the model accepts images. Default true. */
  readonly images?: boolean | undefined;
  /** Whether the model accepts PDFs. Default true; a server that only imitates the API may refuse them. */
  readonly pdfs?: boolean | undefined;
  /** Size of the model's context window in tokens. Default: unknown. */
  readonly contextWindow?: number | undefined;
  /**
   * The highest number of tools that the server accepts in one request. A session with more tools needs
   * `stagedDiscovery`. Default: 128 for `openai`, as the API references of OpenAI and Azure state; no limit
   * for `anthropic`. Set `Infinity` for a server that accepts any number.
   */
  readonly maxTools?: number | undefined;
  /**
   * The tool choices that the model accepts beside `auto`. Default: all; for `anthropic` with thinking, only
   * `none`. Set a shorter list for a server that refuses or ignores a choice.
   */
  readonly toolChoices?: readonly ToolChoiceKind[] | undefined;
  /**
   * Whether the server has a mode for answers that fit a JSON Schema, which `session.generate` uses. Without
   * this mode the model must call a tool instead, if `toolChoices` permits that. Set false for a server or a
   * model that refuses the mode. Default true.
   */
  readonly structuredOutput?: boolean | undefined;
  /**
   * The header that carries the idempotency key of a request, so that a server answers a repeated request
   * only once; null sends no such header. Default `Idempotency-Key`, but no header from a page to another
   * origin, because many servers do not allow it there.
   */
  readonly idempotencyHeader?: string | null | undefined;
  /** Limits on the time and size of one answer. Each has a default. */
  readonly limits?: AnswerLimits | undefined;
}
