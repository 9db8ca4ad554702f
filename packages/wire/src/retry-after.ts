/**
 * Returns the wait that the server asks for, in milliseconds: from `retry-after-ms`, or from `retry-after` in
 * seconds or as a date; undefined if no header is valid. There is no upper limit, because the session decides
 * which wait is too long.
 */
export function retryAfter(headers: unknown, now: number = Date.now()): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const inMs = headers.get('retry-after-ms');
  const given = headers.get('retry-after');
  const wait =
    inMs !== null
      ? isMoment(Number(inMs))
        ? Number(inMs) - now
        : Number(inMs)
      : given === null
        ? NaN
        : /^[\d.+-]+$/.test(given.trim())
          ? inSeconds(Number(given), now)
          : Date.parse(given) - now;
  return Number.isFinite(wait) && wait >= 0 ? Math.ceil(wait) : undefined;
}

/** Some servers state the Unix time of the next allowed request, in seconds or in milliseconds. */
function inSeconds(given: number, now: number): number {
  if (isMoment(given)) return given - now;
  return isMoment(given * 1_000) ? given * 1_000 - now : given * 1_000;
}

/** Returns true for more than thirty years in milliseconds, which must be a Unix time. */
function isMoment(ms: number): boolean {
  return ms >= 1e12;
}
