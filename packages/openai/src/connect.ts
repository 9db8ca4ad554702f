import type { OpenAI } from 'openai';
import { AgentSessionError, isAgentSessionError, messageOf } from '@handrail/session/provider';
import { isBrowser, isCrossOrigin } from './browser.js';
import type { GivenClientOptions, OpenAIOptions } from './openai-options.js';
import { readRefusal } from './read-refusal.js';
import { isCredential, redact } from './redact.js';
import { watchEvents, type EventWatch } from './watch-events.js';

/** The official client, with everything that a request needs beside it. */
export interface Connection {
  readonly client: OpenAI;
  /** The address that requests go to; parts that only this server understands are returned to no other. */
  readonly server: string;
  /** Headers of a request with this idempotency key. */
  headers(idempotencyKey: string): Record<string, string>;
  /** What was seen of a response while the client read it. */
  watchOf(response: Response): EventWatch | undefined;
  /** Takes keys out of a text. */
  redact(text: string): string;
}

/** What the client never sends: it insists on a key where there is none. */
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

/** Loads the official client and makes one that leaves retries to the session and is watched while it reads. */
export async function connect(options: OpenAIOptions): Promise<Connection> {
  const watches = new WeakMap<Response, EventWatch>();
  const secrets = secretsOf(options);
  const redactor = (text: string): string => redact(text, secrets);

  const watchedFetch: typeof globalThis.fetch = async (input, init) => {
    const response = await (options.fetch ?? globalThis.fetch)(input, init);
    if (!response.ok) return readRefusal(response, redactor);
    const watched = watchEvents(response);
    watches.set(watched.response, watched.watch);
    return watched.response;
  };

  const client = await makeClient(options, clientOptions(options, watchedFetch, secrets));
  if (typeof client.apiKey === 'string' && client.apiKey !== NO_KEY) secrets.add(client.apiKey);
  const header =
    options.idempotencyHeader === undefined
      ? isCrossOrigin(client.baseURL)
        ? null
        : 'Idempotency-Key'
      : options.idempotencyHeader;

  return {
    client,
    server: client.baseURL,
    headers: (idempotencyKey) => (header === null ? {} : { [header]: idempotencyKey }),
    watchOf: (response) => watches.get(response),
    redact: redactor,
  };
}

function clientOptions(
  options: OpenAIOptions,
  watchedFetch: typeof globalThis.fetch,
  secrets: Set<string>,
): GivenClientOptions {
  const { apiKey } = options;
  const baseURL =
    options.baseURL === undefined || !isBrowser()
      ? options.baseURL
      : new URL(options.baseURL, document.baseURI).href;
  const keyless = apiKey === undefined && baseURL !== undefined;
  return {
    fetch: watchedFetch,
    maxRetries: 0, // the session retries, visibly and cancellably; two layers would multiply
    logLevel: 'off', // what goes wrong is thrown; a console would get answers and keys to see
    // checkOptions has asked for leave wherever there is a key
    dangerouslyAllowBrowser: true,
    defaultHeaders: {
      ...(baseURL !== undefined && isCrossOrigin(baseURL) ? withoutTelemetry() : {}),
      ...(keyless ? { Authorization: null } : {}),
      ...options.headers,
    },
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(keyless ? { apiKey: NO_KEY } : {}),
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
    ...(typeof apiKey === 'function' ? { apiKey: () => fetchKey(apiKey, secrets) } : {}),
  };
}

async function makeClient(options: OpenAIOptions, given: GivenClientOptions): Promise<OpenAI> {
  if (options.client) {
    try {
      return await options.client(given);
    } catch (thrown) {
      throw new AgentSessionError('invalid-configuration', messageOf(thrown), { cause: thrown });
    }
  }
  const { OpenAI: Client } = await import('openai').catch((thrown: unknown) => {
    throw new AgentSessionError('network', 'The client for the model API could not be loaded.', {
      cause: thrown,
    });
  });
  try {
    return new Client(given);
  } catch (thrown) {
    // It refuses only missing credentials: all else was checked when the provider was made.
    throw new AgentSessionError('auth', 'There is no API key. Pass apiKey, or set OPENAI_API_KEY.', {
      cause: thrown,
    });
  }
}

async function fetchKey(apiKey: () => string | Promise<string>, secrets: Set<string>): Promise<string> {
  try {
    const key = await apiKey();
    secrets.add(key);
    return key;
  } catch (thrown) {
    if (isAgentSessionError(thrown)) throw thrown;
    throw new AgentSessionError('auth', 'The API key could not be fetched.', { cause: thrown });
  }
}

function secretsOf(options: OpenAIOptions): Set<string> {
  const secrets = new Set<string>();
  if (typeof options.apiKey === 'string') secrets.add(options.apiKey);
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (isCredential(name)) secrets.add(value);
  }
  return secrets;
}

function withoutTelemetry(): Record<string, null> {
  return Object.fromEntries(aboutTheClient.map((name) => [name, null]));
}
