import { isBrowser, isCrossOrigin } from './browser.js';
import type { Wire } from './create-wire.js';
import type { ServerOptions } from './server-options.js';

/** Options that an official client must be made with, so that its responses are watched and the session alone retries. */
export interface WiredClientOptions {
  readonly fetch: typeof globalThis.fetch;
  /** The session retries, visibly and cancellably; two layers of retries would multiply. */
  readonly maxRetries: 0;
  /** Errors are thrown. Logging would print answers and keys to the console. */
  readonly logLevel: 'off';
  /** Whether the client may run in a browser. `checkServerOptions` refuses a key that may not be there. */
  readonly dangerouslyAllowBrowser: boolean;
  readonly defaultHeaders: Record<string, string | null>;
  readonly baseURL?: string | undefined;
  readonly apiKey?: (string | (() => Promise<string>)) | undefined;
}

/** A placeholder that is never sent: without any key, the client would throw, or look for one in the environment. */
const NO_KEY = 'no-key';

/** Headers in which the client describes itself. A server of another origin must allow each by name, and few do. */
const aboutTheClient = [
  'User-Agent',
  'X-Stainless-Arch',
  'X-Stainless-Lang',
  'X-Stainless-OS',
  'X-Stainless-Package-Version',
  'X-Stainless-Retry-Count',
  'X-Stainless-Runtime',
  'X-Stainless-Runtime-Version',
  'X-Stainless-Timeout',
];

/**
 * The options of an official client, in the form that those for OpenAI and Anthropic share.
 *
 * @param credentials headers that the client sends for a key; they are removed when there is none
 */
export function wiredClientOptions(
  options: ServerOptions,
  wire: Wire,
  credentials: readonly string[],
): WiredClientOptions {
  const { apiKey } = options;
  const baseURL = addressOf(options.baseURL);
  const keyless = apiKey === undefined && baseURL !== undefined;
  return {
    fetch: wire.fetch,
    maxRetries: 0,
    logLevel: 'off',
    dangerouslyAllowBrowser: isBrowser(),
    defaultHeaders: {
      ...(baseURL !== undefined && isCrossOrigin(baseURL) ? without(aboutTheClient) : {}),
      ...(keyless ? without(credentials) : {}),
      ...options.headers,
    },
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(keyless ? { apiKey: NO_KEY } : {}),
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
    ...(typeof apiKey === 'function' ? { apiKey: () => wire.fetchKey() } : {}),
  };
}

/** Redacts the key of a client from now on: one from the environment, or from the app's own client. */
export function addKeyOf(client: { readonly apiKey?: unknown }, wire: Wire): void {
  if (typeof client.apiKey === 'string' && client.apiKey !== NO_KEY) wire.addSecret(client.apiKey);
}

/** The idempotency header of a request; none by default from a page to another origin, which would have to allow it. */
export function idempotencyHeaders(
  { idempotencyHeader }: ServerOptions,
  server: string,
  key: string,
): Record<string, string> {
  const byDefault = isCrossOrigin(server) ? null : 'Idempotency-Key';
  const header = idempotencyHeader === undefined ? byDefault : idempotencyHeader;
  return header === null ? {} : { [header]: key };
}

function addressOf(baseURL: string | undefined): string | undefined {
  return baseURL === undefined || !isBrowser() ? baseURL : new URL(baseURL, document.baseURI).href;
}

function without(headers: readonly string[]): Record<string, null> {
  return Object.fromEntries(headers.map((name) => [name, null]));
}
