import type { ToolChoiceKind } from '@banister/provider';
import type { AnswerLimits } from './answer-limits.js';

/** The options that all adapters to APIs over HTTP share. */
export interface ServerOptions {
  /** The model's name at the server. */
  readonly model: string;
  /** The API key, or a function that fetches a short-lived one before each request. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The address of the API. In a browser it may be relative to the page: `/api/ai`. */
  readonly baseURL?: string | undefined;
  /**
   * The name of the account that pays, in your own words; never a key. Name each of several accounts at one server: encrypted reasoning goes back
   * to the account that it came from alone. Default `default`.
   */
  readonly account?: string | undefined;
  /**
   * Allows a key in a browser. Set it only for a key that the visitor typed in and that is kept in memory: every visitor
   * can read a key of yours. Default false.
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
   * The highest number of tools that the server takes in one request. A session with more needs `stagedDiscovery`. Default: 128 of `openai`, as
   * the API references of OpenAI and Azure state; none of `anthropic`. `Infinity` for a server that takes any number.
   */
  readonly maxTools?: number | undefined;
  /**
   * The tool choices that the model accepts beside `auto`. Default: all of them; of `anthropic` with thinking, `none` alone. A server
   * that refuses one of them, or ignores it, needs a shorter list.
   */
  readonly toolChoices?: readonly ToolChoiceKind[] | undefined;
  /**
   * Whether the server has a mode for answers that fit a JSON Schema, which `session.generate` uses. Without it, the model is made to call a
   * tool instead, as far as `toolChoices` permits. Set it to false for a server or a model that refuses the mode. Default true.
   */
  readonly structuredOutput?: boolean | undefined;
  /**
   * The header that carries the idempotency key of a request, so that a server answers a repeated request once; null sends
   * none. Default `Idempotency-Key`, but none from a page to another origin: many servers do not allow that header there.
   */
  readonly idempotencyHeader?: string | null | undefined;
  /** Bounds on the time and size of one answer. Each has a default. */
  readonly limits?: AnswerLimits | undefined;
}
