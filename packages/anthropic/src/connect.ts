import { AgentSessionError, isAgentSessionError, messageOf } from '@handrail/session/provider';
import type { AnthropicClient, AnthropicOptions, GivenClientOptions } from './anthropic-options.js';
import { isBrowser, isCrossOrigin } from './browser.js';
import { readRefusal } from './read-refusal.js';
import { isCredential, redact } from './redact.js';
import { watchEvents, type EventWatch } from './watch-events.js';

/** The official client, with everything that a request needs beside it. */
export interface Connection {
  readonly client: AnthropicClient;
  /** Headers of a request with this idempotency key. */
  headers(idempotencyKey: string): Record<string, string>;
  /** What was seen of a response while the client read it. */
  watchOf(response: Response): EventWatch | undefined;
  /** Takes keys out of a text. */
  redact(text: string): string;
}

/** What the client never sends: without any key, it would look for one in all the places that it knows. */
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

/** Means something to Anthropic alone, and only together with a key. */
const withoutCredentials = {
  Authorization: null,
  'X-Api-Key': null,
  'anthropic-dangerous-direct-browser-access': null,
};

/** Loads the official client and makes one that leaves retries to the session and is watched while it reads. */
export async function connect(options: AnthropicOptions): Promise<Connection> {
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
    headers: (idempotencyKey) => (header === null ? {} : { [header]: idempotencyKey }),
    watchOf: (response) => watches.get(response),
    redact: redactor,
  };
}

function clientOptions(
  options: AnthropicOptions,
  watchedFetch: typeof globalThis.fetch,
  secrets: Set<string>,
): GivenClientOptions {
  const { apiKey } = options;
  const baseURL = options.baseURL === undefined ? undefined : addressOf(options.baseURL);
  const keyless = apiKey === undefined && baseURL !== undefined;
  return {
    fetch: watchedFetch,
    maxRetries: 0, // the session retries, visibly and cancellably; two layers would multiply
    logLevel: 'off', // what goes wrong is thrown; a console would get answers and keys to see
    dangerouslyAllowBrowser: isBrowser(), // checkOptions has asked for leave wherever there is a key
    defaultHeaders: {
      ...(baseURL !== undefined && isCrossOrigin(baseURL) ? withoutTelemetry() : {}),
      ...(keyless ? withoutCredentials : {}),
      ...options.headers,
    },
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(keyless ? { apiKey: NO_KEY } : {}),
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
    ...(typeof apiKey === 'function' ? { apiKey: () => fetchKey(apiKey, secrets) } : {}),
  };
}

/** The client adds `/v1/messages`; other clients want the version in the base URL, so it often stands there already. */
function addressOf(baseURL: string): string {
  const absolute = isBrowser() ? new URL(baseURL, document.baseURI).href : baseURL;
  return absolute.replace(/\/+$/, '').replace(/\/v1$/, '');
}

async function makeClient(options: AnthropicOptions, given: GivenClientOptions): Promise<AnthropicClient> {
  if (options.client) {
    try {
      return await options.client(given);
    } catch (thrown) {
      throw new AgentSessionError('invalid-configuration', messageOf(thrown), { cause: thrown });
    }
  }
  const { Anthropic: Client } = await import('@anthropic-ai/sdk').catch((thrown: unknown) => {
    throw new AgentSessionError('network', 'The client for the model API could not be loaded.', {
      cause: thrown,
    });
  });
  try {
    return new Client(given);
  } catch (thrown) {
    throw new AgentSessionError('invalid-configuration', messageOf(thrown), { cause: thrown });
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

function secretsOf(options: AnthropicOptions): Set<string> {
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
