import { isBrowser, isCrossOrigin } from './browser.js';
import type { Wire } from './create-wire.js';
import type { ServerOptions } from './server-options.js';

/** What an official client has to be made with, so that it can be watched and the session can retry. */
export interface WiredClientOptions {
  readonly fetch: typeof globalThis.fetch;
  /** The session retries, visibly and cancellably; two layers would multiply. */
  readonly maxRetries: 0;
  /** What goes wrong is thrown; a console would get answers and keys to see. */
  readonly logLevel: 'off';
  /** `checkServerOptions` has asked for leave wherever there is a key. */
  readonly dangerouslyAllowBrowser: boolean;
  readonly defaultHeaders: Record<string, string | null>;
  readonly baseURL?: string;
  readonly apiKey?: string | (() => Promise<string>);
}

/** What the client never sends: without any key, it would insist on one or look for it in all the places that it knows. */
const NO_KEY = 'no-key';

/**
 * What the client tells about itself. A server of another origin has to allow each header by name, and few know these.
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
 * The options of an official client, in the form that those for OpenAI and Anthropic share.
 *
 * @param credentials headers that the client would send for a key, and does not where there is none
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

/** Keeps the key that a client found by itself, or was given by the user, out of every text. */
export function addKeyOf(client: { readonly apiKey?: unknown }, wire: Wire): void {
  if (typeof client.apiKey === 'string' && client.apiKey !== NO_KEY) wire.addSecret(client.apiKey);
}

/** The headers that name a request to this server; none where it cannot be expected to allow them. */
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
