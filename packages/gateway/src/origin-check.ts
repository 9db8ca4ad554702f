import { invalid } from './invalid.js';
import { Refusal } from './refusal.js';

/** The host names of the local machine, with any port. */
const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;

/** Headers in which a proxy or a tunnel names itself, the client, or the requested host, such as `x-forwarded-for` and `cf-connecting-ip`. */
const PASSED = /^(?:forwarded|via)$|-(?:for|host|ip)$/;

/** Whether a page of an origin may read the answers of a gateway at another address. */
export type AllowsOrigin = (origin: string) => boolean;

/**
 * Returns the check of origins for the option `cors`. An open gateway also allows the origins of this machine. Throws
 * `invalid-configuration` for an entry that is not an exact origin.
 */
export function allowedOrigins(cors: readonly string[], isOpen: boolean): AllowsOrigin {
  const exact = exactOrigins(cors);
  return (origin) => exact.has(origin) || (isOpen && LOOPBACK.test(hostOf(origin)));
}

/** Returns the origins of the option `cors`. Throws `invalid-configuration` for an entry that is not an exact origin. */
function exactOrigins(cors: readonly string[]): ReadonlySet<string> {
  for (const origin of cors)
    if (typeof origin !== 'string' || !URL.canParse(origin) || new URL(origin).origin !== origin)
      throw invalid(`"${origin}" in cors is no origin such as "https://app.example".`);
  return new Set(cors);
}

/**
 * Throws a refusal with the status 403 if a page of another origin makes the request, unless its origin is allowed. A `POST` without the
 * header `Origin` does not come from another site, because such a page cannot send JSON without it. `checkRead` checks a `GET` without it.
 */
export function checkOrigin(request: Request, allows: AllowsOrigin, isOpen: boolean): void {
  const { headers, url } = request;
  const origin = headers.get('origin');
  const host = (headers.get('host') ?? new URL(url).host).toLowerCase();
  if (isOpen) {
    // Only names of this machine: an attacker's DNS can lead another name to it.
    if (!isLoopback(host) || (origin !== null && !allows(origin)) || isForwarded(headers)) throw foreign();
    return;
  }
  if (origin === null || allows(origin)) return;
  // `Sec-Fetch-Site` also knows the scheme. If it is missing, the browser is old: compare the hosts.
  const site = headers.get('sec-fetch-site');
  if (site ? site !== 'same-origin' : hostOf(origin) !== host) throw foreign();
}

/** The media types that a read may ask for. An `<img>`, a `<script>` or a `<video>` of a page asks for neither type. */
const READABLE = new Set(['text/event-stream', 'application/json']);

/**
 * Checks a `GET`, because an `<img>` of any page could hold a stream of the user open. Throws a refusal with the status 403 if the request has
 * no `Origin` and the browser says that a page of another origin makes the request, and with the status 406 if `accept` names neither type of
 * a read. A request without `accept` does not come from a browser.
 */
export function checkRead({ headers }: Request): void {
  const site = headers.get('sec-fetch-site');
  if (!headers.has('origin') && (site === 'cross-site' || site === 'same-site')) throw foreign();
  const types = headers.get('accept')?.split(',').map(mediaTypeOf);
  if (types && !types.some((type) => READABLE.has(type)))
    throw new Refusal(
      406,
      'invalid-input',
      'The header accept of a GET must name application/json or text/event-stream.',
    );
}

/** Returns the media type of a header's value, in lower case and without its parameters. */
export function mediaTypeOf(value: string): string {
  return value.split(';')[0]!.trim().toLowerCase();
}

/** Whether a host, with or without a port, is this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.toLowerCase());
}

/**
 * Whether a request came through a proxy or a tunnel from another machine; the proxy may have set `Host` to a name of this machine.
 * Servers for development, such as Next's, set the same headers to names of this machine.
 */
function isForwarded(headers: Headers): boolean {
  const isHere = (one: string) =>
    isLoopback(one.replace(/^ *(?:::ffff:)?/, '').replace(/^::1$/, 'localhost'));
  return [...headers].some(([name, value]) => PASSED.test(name) && !value.split(',').every(isHere));
}

/** Returns the headers that let a page of an allowed origin read the response. */
export function corsHeaders(request: Request, allows: AllowsOrigin): Record<string, string> {
  const origin = request.headers.get('origin');
  const vary = { vary: 'origin' };
  if (origin === null || !allows(origin)) return vary;
  return {
    ...vary,
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'retry-after',
  };
}

/** Returns the headers of the reply to a preflight. The preflight names the headers that the request will have. */
export function preflightHeaders(request: Request, allows: AllowsOrigin): Record<string, string> {
  const headers = corsHeaders(request, allows);
  if (!headers['access-control-allow-origin']) return headers;
  return {
    ...headers,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '',
    'access-control-max-age': '600',
  };
}

function foreign(): Refusal {
  return new Refusal(403, 'auth', 'The gateway answers no page of this origin.');
}

/** The host of an origin with its port; empty for the origin `null`. */
function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}
