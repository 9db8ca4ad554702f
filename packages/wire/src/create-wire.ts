import { AgentSessionError, isAgentSessionError, systemClock, type Clock } from '@banister/provider';
import { resolveAnswerLimits } from './answer-limits.js';
import { fetchWatched } from './fetch-watched.js';
import { fetchWithKey } from './fetch-with-key.js';
import { createRedactor, type Redactor } from './redact.js';
import type { ServerOptions } from './server-options.js';
import type { EventFormat, EventWatch } from './watch-events.js';
import { withoutKeys } from './without-keys.js';

/** Everything between an official client and the network. */
export interface Wire {
  /** The clock for time limits. */
  readonly clock: Clock;
  /**
   * The `fetch` for the client. It bounds the time and size of answers, brings refusals into one shape and
   * size, and follows no redirect.
   */
  readonly fetch: typeof globalThis.fetch;
  /** Returns the watch over a response of this `fetch`; undefined for any other response. */
  watchOf(response: Response): EventWatch | undefined;
  /** Calls the `apiKey` function of the options. The key is redacted from then on. */
  fetchKey(): Promise<string>;
  /** Redacts a further secret from every text from now on. */
  addSecret(secret: string): void;
  /** Returns the text without keys. */
  redact(text: string): string;
}

/**
 * Creates the wire of one client.
 *
 * @param format the shape of the API's event streams
 * @param clock the clock for time limits; tests pass a virtual clock
 *
 * @example
 * const wire = createWire(options, { endMark: '[DONE]', hasEnd: (events) => events.includes('data: [DONE]') });
 * const client = new Client({ fetch: wire.fetch, maxRetries: 0 });
 */
export function createWire(options: ServerOptions, format: EventFormat, clock: Clock = systemClock): Wire {
  const watches = new WeakMap<Response, EventWatch>();
  const redactor = createRedactor(options);
  const { add: addSecret, redact } = redactor;
  const watching = { format, clock, redact, limits: resolveAnswerLimits(options.limits) };
  return {
    async fetch(input, init = {}) {
      const send = (given: RequestInit) =>
        fetchWatched(options.fetch ?? globalThis.fetch, input, given, watching);
      const freshKey = typeof options.apiKey === 'function' ? () => fetchKey(options, redactor) : null;
      const { response, watch } = await fetchWithKey(send, init, freshKey);
      if (watch !== null) watches.set(response, watch);
      return response;
    },
    clock,
    watchOf: (response) => watches.get(response),
    fetchKey: () => fetchKey(options, redactor),
    addSecret,
    redact,
  };
}

async function fetchKey({ apiKey }: ServerOptions, { add, redact }: Redactor): Promise<string> {
  try {
    const key = typeof apiKey === 'function' ? await apiKey() : (apiKey ?? '');
    add(key);
    return key;
  } catch (thrown) {
    if (isAgentSessionError(thrown)) throw thrown;
    throw new AgentSessionError('auth', 'The API key could not be fetched.', {
      cause: withoutKeys(thrown, redact),
    });
  }
}
