import { invalid } from './invalid.js';
import { Refusal } from './refusal.js';

/** The names under which a machine reaches itself, with any port. */
const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;

/** Headers in which a proxy or a tunnel names itself, the client, or the host that it asked for, such as `x-forwarded-for` and `cf-connecting-ip`. */
const PASSED = /^(?:forwarded|via)$|-(?:for|host|ip)$/;

/** Whether a page of an origin may read the answers of a gateway at another address. */
export type AllowsOrigin = (origin: string) => boolean;

/**
 * Returns the check of origins for the option `cors`; an open gateway allows those of this machine. Throws `invalid-configuration` for one that is no
 * exact origin.
 */
export function allowedOrigins(cors: readonly string[], isOpen: boolean): AllowsOrigin {
  const exact = exactOrigins(cors);
  return (origin) => exact.has(origin) || (isOpen && LOOPBACK.test(hostOf(origin)));
}

/** Returns the origins of the option `cors`. Throws `invalid-configuration` for one that is no exact origin. */
function exactOrigins(cors: readonly string[]): ReadonlySet<string> {
  for (const origin of cors)
    if (typeof origin !== 'string' || !URL.canParse(origin) || new URL(origin).origin !== origin)
      throw invalid(`"${origin}" in cors is no origin such as "https://app.example".`);
  return new Set(cors);
}

/**
 * Throws a refusal with the status 403 for a request that a page of another origin makes, unless that origin is allowed. A request without an
 * origin is no page of another site: such a page cannot send JSON without one.
 */
export function checkOrigin(request: Request, allows: AllowsOrigin, isOpen: boolean): void {
  const { headers, url } = request;
  const origin = headers.get('origin');
  const host = (headers.get('host') ?? new URL(url).host).toLowerCase();
  if (isOpen) {
    // A name that an attacker's DNS leads to this machine is not one of its own.
    if (!isLoopback(host) || (origin !== null && !allows(origin)) || isForwarded(headers)) throw foreign();
    return;
  }
  if (origin === null || allows(origin)) return;
  // A browser knows better than a comparison of names, which cannot see the scheme. One that says nothing is an old one.
  const site = headers.get('sec-fetch-site');
  if (site ? site !== 'same-origin' : hostOf(origin) !== host) throw foreign();
}

/** Whether a host, with or without a port, is this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.toLowerCase());
}

/**
 * Whether a request came through a proxy or a tunnel from elsewhere, which may have written a `Host` of this machine. Servers for development, such as that
 * of Next, write the same headers with names of this machine.
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

/** Returns the headers of the reply to a preflight, which names the headers that the request will have. */
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
