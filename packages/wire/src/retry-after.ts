/**
 * The wait that the server asks for, in milliseconds: from `retry-after-ms`, or from `retry-after` in seconds or as a date.
 * undefined without a valid header. There is no upper bound: the session decides which wait is too long.
 */
export function retryAfter(headers: unknown, now: number = Date.now()): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const inMs = headers.get('retry-after-ms');
  const given = headers.get('retry-after');
  const wait =
    inMs !== null
      ? Number(inMs)
      : given === null
        ? NaN
        : /^[\d.+-]+$/.test(given.trim())
          ? Number(given) * 1_000
          : Date.parse(given) - now;
  return Number.isFinite(wait) && wait >= 0 ? Math.ceil(wait) : undefined;
}
