import { isBrowser, isCrossOrigin } from './browser.js';
import type { Wire } from './create-wire.js';
import type { ServerOptions } from './server-options.js';

/**
 * Options that an official client must be created with. With them its responses are watched, and only the
 * session retries.
 */
export interface WiredClientOptions {
  readonly fetch: typeof globalThis.fetch;
  /** The session retries, visibly and cancellably. Two layers of retries would multiply. */
  readonly maxRetries: 0;
  /** Errors are thrown instead of logged, because a log would print answers and keys to the console. */
  readonly logLevel: 'off';
  /**
   * Whether the client may run in a browser. `checkServerOptions` refuses a key that must not be in a
   * browser.
   */
  readonly dangerouslyAllowBrowser: boolean;
  readonly defaultHeaders: Record<string, string | null>;
  readonly baseURL?: string | undefined;
  readonly apiKey?: (string | (() => Promise<string>)) | undefined;
}

/**
 * A placeholder that is never sent. Without a key the client would throw, or look for a key in the
 * environment.
 */
const NO_KEY = 'no-key';

/**
 * Headers in which the client describes itself. A server of another origin must allow each of them by name,
 * and few servers do.
 */
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
 * Returns the options that the official clients of OpenAI and Anthropic share.
 *
 * @param credentials headers in which the client sends a key; they are removed if there is no key
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

/**
 * Redacts the client's key from now on. The key may come from the environment or from the app's own client.
 */
export function addKeyOf(client: { readonly apiKey?: unknown }, wire: Wire): void {
  if (typeof client.apiKey === 'string' && client.apiKey !== NO_KEY) wire.addSecret(client.apiKey);
}

/**
 * Returns the idempotency header of a request. By default there is none from a page to another origin,
 * because the server would have to allow the header.
 */
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
