import { AgentSessionError, type Clock } from '@banister/provider';
import type { AnswerLimits } from './answer-limits.js';
import { createAnswerTimer, type AnswerTimer } from './answer-timer.js';
import { regularRefusal } from './regular-refusal.js';
import { watchEvents, type EventFormat, type EventWatch } from './watch-events.js';

/** The settings of all requests of one wire. */
export interface FetchSettings {
  readonly format: EventFormat;
  readonly limits: Required<AnswerLimits>;
  readonly clock: Clock;
  redact(text: string): string;
}

/** A response with the watch over its events; the watch is null for a refusal. */
export interface FetchedResponse {
  readonly response: Response;
  readonly watch: EventWatch | null;
}

/**
 * Sends one request within the time limits. The body of an answer is watched while it is read. A refusal is
 * brought into the shape that official clients keep. A redirect throws `invalid-configuration`.
 *
 * @param send the `fetch` of the platform or of the options
 */
export async function fetchWatched(
  send: typeof globalThis.fetch,
  input: string | URL | Request,
  init: RequestInit,
  { format, limits, clock, redact }: FetchSettings,
): Promise<FetchedResponse> {
  const connection = openConnection(init.signal, limits, clock);
  const { timer, signal, release } = connection;
  let response: Response;
  try {
    response = await send(input, { ...init, redirect: 'manual', signal });
  } catch (thrown) {
    release();
    throw timer.failure ?? thrown;
  }
  timer.answered();
  if (isRedirect(response)) {
    release();
    void response.body?.cancel().catch(() => {});
    throw redirectError(response, redact);
  }
  if (!response.ok) {
    const refusal = await regularRefusal(response, redact);
    release();
    return { response: refusal, watch: null };
  }
  const watched = watchEvents(response, { format, limits, timer, release, redact });
  connection.onTimeout(watched.watch.stop);
  return watched;
}

interface RequestConnection {
  readonly timer: AnswerTimer;
  /** Aborts when the caller's signal aborts, and when time runs out. */
  readonly signal: AbortSignal;
  /** Sets the function that is called when time runs out, after `signal` aborted. */
  onTimeout(stop: () => void): void;
  /** Stops the timer and removes the listener from the caller's signal. */
  release(): void;
}

function openConnection(
  given: AbortSignal | null | undefined,
  limits: Required<AnswerLimits>,
  clock: Clock,
): RequestConnection {
  const controller = new AbortController();
  let stop = (): void => {};
  const timer = createAnswerTimer(limits, clock, (failure) => {
    controller.abort(failure);
    stop();
  });
  const abort = (): void => {
    release();
    controller.abort(given?.reason);
  };
  const release = (): void => {
    timer.stop();
    given?.removeEventListener('abort', abort);
  };
  if (given?.aborted) abort();
  else given?.addEventListener('abort', abort);
  return {
    timer,
    signal: controller.signal,
    onTimeout: (listener) => {
      stop = listener;
    },
    release,
  };
}

/** A browser does not show a page the status of a redirect, only the type `opaqueredirect`. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

/**
 * Redirects are refused, because they could carry the key and the conversation to any address that the server
 * names.
 */
function redirectError({ status, headers }: Response, redact: (text: string) => string): AgentSessionError {
  const location = redact(headers.get('location') ?? '');
  return new AgentSessionError(
    'invalid-configuration',
    'The server redirects to another address. Redirects are not followed, because they would pass on the key: set baseURL ' +
      'to the address that answers.',
    {
      details: { ...(status === 0 ? {} : { status }), ...(location === '' ? {} : { location }) },
      retry: 'after-action',
    },
  );
}
