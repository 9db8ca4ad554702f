import {
  AgentSessionError,
  isAgentSessionError,
  isJsonObject,
  monotonicTime,
  systemClock,
  type Clock,
  type JsonValue,
  type Provider,
  type ProviderCapabilities,
  type ProviderEvent,
  type ProviderRequest,
} from '@banister/provider';
import { addressOf, withAddress } from './address.js';
import { readLines } from './read-lines.js';
import { refusalOf, statedError } from './stated-error.js';
import { watchSilence } from './watch-silence.js';

/** Headers in the form that `fetch` accepts. The DOM types have a name for it, the types of Node do not. */
type GivenHeaders = NonNullable<ConstructorParameters<typeof Headers>[0]>;

/** Options of {@link relay}. */
export interface RelayOptions {
  /** The alias of the model at the gateway. Default: the gateway's only model, or its `default`. */
  readonly model?: string | undefined;
  /** Headers of each request, for example a token that is fetched when it is needed. */
  readonly headers?: GivenHeaders | (() => GivenHeaders | Promise<GivenHeaders>) | undefined;
  /** Whether cookies are sent. Default `same-origin`. */
  readonly credentials?: RequestInit['credentials'] | undefined;
  /**
   * After this many milliseconds without a byte (not even a keep-alive), the connection counts as lost. The
   * request for the features may take this long too. Default 45,000.
   */
  readonly silenceMs?: number | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** The clock for all times; tests pass a virtual clock. */
  readonly clock?: Clock | undefined;
}

/** A model behind a gateway. */
export interface RelayProvider extends Provider {
  /**
   * Resolves with the features of the model when the gateway has sent them. Rejects with the error of the
   * request.
   */
  ready(): Promise<ProviderCapabilities>;
}

/** The version of the protocol. */
const VERSION = 1;

/** The default of `silenceMs`. */
const SILENCE_MS = 45_000;

/** How long to wait for token counts after the end of an answer, in milliseconds. */
const CLOSING_MS = 3_000;

/**
 * After a failure, reads of the features send no request for this many milliseconds, because sessions read
 * them for each request.
 */
const REST_MS = 5_000;

/** The first byte may take this many silences, because a request with pictures takes long to send. */
const SENDING = 4;

/** The features of a model before the gateway has sent them. */
const unknown: ProviderCapabilities = {
  images: false,
  pdfs: false,
  toolChoices: [],
  structuredOutput: false,
};

/**
 * Returns a provider for a model whose key is on a server, behind `@banister/gateway`. It needs no SDK.
 *
 * The features of the model are fetched once, when they are first read; until then images, PDFs, tool choices
 * and structured output count as unsupported. `ready()` waits for them. If they could not be fetched, a read
 * tries again after five seconds, and `ready()` at once.
 *
 * @param url the address of the gateway; in a page it may be relative
 *
 * @example
 * const session = createAgentSession({ provider: relay('/agent') });
 *
 * @example
 * const provider = relay('https://ai.example/agent', { model: 'smart', headers: async () => ({ authorization: `Bearer ${await token()}` }) });
 */
export function relay(url: string, options: RelayOptions = {}): RelayProvider {
  const { model, clock = systemClock } = options;
  let known: ProviderCapabilities | undefined;
  let asking: Promise<ProviderCapabilities> | undefined;
  let restsUntil = -Infinity;
  const ready = () =>
    (asking ??= describe(url, options).then(
      (capabilities) => (known = capabilities),
      (error: unknown) => {
        asking = undefined;
        restsUntil = monotonicTime(clock) + REST_MS;
        throw error;
      },
    ));
  return {
    id: 'relay',
    model: model ?? 'default',
    server: addressOf(url),
    get capabilities() {
      if (known === undefined && monotonicTime(clock) >= restsUntil) ready().catch(() => {});
      return known ?? unknown;
    },
    ready,
    stream: (request, signal) => stream(url, options, request, signal),
  };
}

async function describe(url: string, options: RelayOptions): Promise<ProviderCapabilities> {
  const { silenceMs = SILENCE_MS, clock = systemClock } = options;
  const connection = new AbortController();
  const silence = watchSilence(clock, () => connection.abort());
  silence.within(silenceMs);
  try {
    return await untilAborted(fetchFeatures(url, options, connection.signal), connection.signal);
  } catch (thrown) {
    throw withAddress(isAgentSessionError(thrown) ? thrown : broken(thrown, false, silence.isOver), url);
  } finally {
    silence.stop();
  }
}

async function fetchFeatures(
  url: string,
  options: RelayOptions,
  signal: AbortSignal,
): Promise<ProviderCapabilities> {
  const { model } = options;
  const query =
    model === undefined ? '' : `${url.includes('?') ? '&' : '?'}model=${encodeURIComponent(model)}`;
  const headers = { accept: 'application/json' };
  const response = await send(url + query, options, { method: 'GET', headers, signal });
  if (!response.ok) throw await refusalOf(response);
  const { capabilities } = (await response.json().catch(() => ({}))) as {
    capabilities?: ProviderCapabilities;
  };
  if (typeof capabilities?.images !== 'boolean') throw notOurs(response);
  return capabilities;
}

async function* stream(
  url: string,
  options: RelayOptions,
  request: ProviderRequest,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  const { silenceMs = SILENCE_MS, model, clock = systemClock } = options;
  const connection = new AbortController();
  const leave = () => connection.abort();
  const silence = watchSilence(clock, leave);
  let hasBegun = false;
  let isWhole = false;
  try {
    if (signal.aborted) throw cancelled();
    signal.addEventListener('abort', leave);
    silence.within(silenceMs * SENDING);
    const sent = send(url, options, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomKey() },
      body: JSON.stringify({ version: VERSION, model, ...request }),
      signal: connection.signal,
    });
    const response = await untilAborted(sent, connection.signal);
    if (!response.ok) throw await untilAborted(refusalOf(response), connection.signal);
    if (!/^application\/x-ndjson/i.test(response.headers.get('content-type') ?? '')) throw notOurs(response);
    silence.within(silenceMs);
    // Bytes after the end do not prolong the wait.
    const onBytes = () => isWhole || silence.within(silenceMs);
    for await (const lines of readLines(response, connection.signal, onBytes)) {
      const wasWhole = isWhole;
      // While the reader takes no event, keep-alives are not read either.
      if (!wasWhole) silence.within(Infinity);
      for (const line of lines) {
        const event = parse(line);
        if (event.type === 'error') throw statedError(event.error);
        hasBegun = true;
        isWhole ||= event.type === 'finish';
        yield event;
      }
      if (!wasWhole) silence.within(isWhole ? CLOSING_MS : silenceMs);
    }
    if (signal.aborted || (silence.isOver && !isWhole)) throw new Error('The connection was closed.');
    // Without a finish the answer was cut: the session treats a stream that just ends as interrupted.
  } catch (thrown) {
    if (signal.aborted) throw cancelled();
    if (isAgentSessionError(thrown)) throw withAddress(thrown, url);
    // If the connection breaks after the end of the answer, nothing of the answer is lost.
    if (!isWhole) throw withAddress(broken(thrown, hasBegun, silence.isOver), url);
  } finally {
    silence.stop();
    signal.removeEventListener('abort', leave);
    leave();
  }
}

/**
 * Returns a new key for each attempt. If a network repeats a request, the gateway answers only one of the
 * two.
 */
function randomKey(): string {
  // Not `crypto.randomUUID`, because pages have it only over https.
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/**
 * Settles like `work`, and rejects when the signal fires, because the headers function and the `fetch` of an
 * app may hang and ignore the signal.
 */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new Error('The connection was closed.'));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave);
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

async function headersOf({ headers }: RelayOptions): Promise<Headers> {
  try {
    return new Headers(typeof headers === 'function' ? await headers() : headers);
  } catch (cause) {
    if (isAgentSessionError(cause)) throw cause;
    throw new AgentSessionError('auth', 'The option headers failed or returned invalid headers.', { cause });
  }
}

async function send(
  url: string,
  options: RelayOptions,
  init: RequestInit & { readonly signal: AbortSignal },
): Promise<Response> {
  const { credentials = 'same-origin', fetch = globalThis.fetch } = options;
  const all = await headersOf(options);
  // A `fetch` that ignores the signal would still send the request.
  init.signal.throwIfAborted();
  new Headers(init.headers).forEach((value, name) => all.set(name, value));
  // Redirects are refused, because they could carry the conversation to any address.
  return fetch(url, { ...init, headers: all, credentials, cache: 'no-store', redirect: 'manual' });
}

type Line = ProviderEvent | { readonly type: 'error'; readonly error: unknown };

function parse(line: string): Line {
  try {
    const event = JSON.parse(line) as JsonValue;
    if (isJsonObject(event)) return event as unknown as Line;
  } catch {
    // The error is reported below.
  }
  throw new AgentSessionError('server', 'The gateway sent a line that is not an event.', {
    details: { line: line.slice(0, 200) },
  });
}

function broken(cause: unknown, hasBegun: boolean, isSilent: boolean): AgentSessionError {
  if (isSilent)
    return new AgentSessionError(
      'network',
      'The gateway sent nothing for too long. The connection counts as lost.',
      {
        cause,
      },
    );
  return hasBegun
    ? new AgentSessionError(
        'interrupted',
        'The connection to the gateway broke before the answer was whole.',
        { cause },
      )
    : new AgentSessionError('network', 'The gateway could not be reached.', { cause });
}

function cancelled(): AgentSessionError {
  return new AgentSessionError('cancelled', 'The request was cancelled.');
}

function notOurs({ headers }: Response): AgentSessionError {
  const contentType = headers.get('content-type') ?? '';
  return new AgentSessionError(
    'server',
    `The server sent ${contentType || 'no content type'} instead of an answer. Is the address that of a gateway?`,
    { details: { contentType }, retry: 'after-action' },
  );
}
