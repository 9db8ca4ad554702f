import type { AnswerLimits } from './answer-limits.js';

/** Where a model API lives and what it is asked with: the options that all adapters have. */
export interface ServerOptions {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** The API key, or a function that fetches a short-lived one before each request. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Where the API lives. In a browser it may be relative to the page: `/api/ai`. */
  readonly baseURL?: string | undefined;
  /**
   * Allows a key in a browser. Only right when the key is the visitor's own, typed in by themselves and kept in memory;
   * a key of yours would be everybody's.
   */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Used instead of the global `fetch`. It has to honour `signal` and `redirect` of what it is called with. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Whether the model accepts images. Default true. */
  readonly images?: boolean | undefined;
  /** Size of the model's context window in tokens, where you know it. */
  readonly contextWindow?: number | undefined;
  /**
   * The header that names a request, so that a server which knows it answers a repeated one only once; null sends none.
   * Default `Idempotency-Key`, but none from a page to another origin: many servers forbid pages headers that they did
   * not expect.
   */
  readonly idempotencyHeader?: string | null | undefined;
  /** How long an answer may be silent or take, and how large it may be. All of it is bounded by default. */
  readonly limits?: AnswerLimits | undefined;
}
