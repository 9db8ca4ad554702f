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
  /** Size of the model's context window in tokens. Default: unknown. */
  readonly contextWindow?: number | undefined;
  /**
   * The header that carries the idempotency key of a request, so that a server answers a repeated request once; null sends
   * none. Default `Idempotency-Key`, but none from a page to another origin: many servers do not allow that header there.
   */
  readonly idempotencyHeader?: string | null | undefined;
  /** Bounds on the time and size of one answer. Each has a default. */
  readonly limits?: AnswerLimits | undefined;
}
