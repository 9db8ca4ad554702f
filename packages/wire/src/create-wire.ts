import { AgentSessionError, isAgentSessionError, systemClock, type Clock } from '@handrail/session/provider';
import { resolveAnswerLimits } from './answer-limits.js';
import { createAnswerTimer } from './answer-timer.js';
import { readRefusal } from './read-refusal.js';
import { createRedactor } from './redact.js';
import type { ServerOptions } from './server-options.js';
import { watchEvents, type EventFormat, type EventWatch, type Watching } from './watch-events.js';
import { withoutKeys } from './without-keys.js';

/** What lies between an official client and the network. */
export interface Wire {
  /**
   * The `fetch` to give to the client. Its answers are bounded in time and size, its refusals in size and shape; it follows
   * no redirect.
   */
  readonly fetch: typeof globalThis.fetch;
  /** What was seen of a response that this `fetch` gave; undefined for any other. */
  watchOf(response: Response): EventWatch | undefined;
  /** The `apiKey` of the options for a client that takes a function; what it fetches is a secret from then on. */
  fetchKey(): Promise<string>;
  /** Keeps a secret out of every text from now on. */
  addSecret(secret: string): void;
  /** Takes keys out of a text. */
  redact(text: string): string;
}

/**
 * Makes the wire of one client.
 *
 * @param format what the API's event streams look like
 * @param clock what time limits run on; tests pass a virtual one
 *
 * @example
 * const wire = createWire(options, { endMark: '[DONE]', hasEnd: (events) => events.includes('data: [DONE]') });
 * const client = new Client({ fetch: wire.fetch, maxRetries: 0 });
 */
export function createWire(options: ServerOptions, format: EventFormat, clock: Clock = systemClock): Wire {
  const limits = resolveAnswerLimits(options.limits);
  const watches = new WeakMap<Response, EventWatch>();
  const { add, redact } = createRedactor(options);

  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const connection = new AbortController();
    let stopReading = (): void => {};
    const timer = createAnswerTimer(limits, clock, (failure) => {
      connection.abort(failure);
      stopReading();
    });
    const { signal } = init;
    const abort = (): void => {
      release();
      connection.abort(signal?.reason);
    };
    const release = (): void => {
      timer.stop();
      signal?.removeEventListener('abort', abort);
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort);

    let response: Response;
    try {
      const send = options.fetch ?? globalThis.fetch;
      response = await send(input, { ...init, redirect: 'manual', signal: connection.signal });
    } catch (thrown) {
      release();
      throw timer.failure ?? thrown;
    }
    timer.answered();
    if (isRedirect(response)) {
      release();
      void response.body?.cancel().catch(() => {});
      throw redirected(response, redact);
    }
    if (!response.ok) {
      const refusal = await readRefusal(response, redact);
      release();
      return refusal;
    }
    const watching: Watching = { format, limits, timer, release, redact };
    const watched = watchEvents(response, watching);
    stopReading = watched.stop;
    watches.set(watched.response, watched.watch);
    return watched.response;
  };

  return {
    fetch,
    watchOf: (response) => watches.get(response),
    async fetchKey() {
      const { apiKey } = options;
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
    },
    addSecret: add,
    redact,
  };
}

/** A page is told nothing else about a redirect than that there was one. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

/** Followed, it would carry the key and the conversation to whoever the server names. */
function redirected({ status, headers }: Response, redact: (text: string) => string): AgentSessionError {
  const location = redact(headers.get('location') ?? '');
  return new AgentSessionError(
    'invalid-configuration',
    'The server redirects to another address. Redirects are not followed, since the key would go there too: set baseURL ' +
      'to the address that answers.',
    {
      details: { ...(status === 0 ? {} : { status }), ...(location === '' ? {} : { location }) },
      retry: 'after-action',
    },
  );
}
