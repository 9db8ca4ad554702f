import { AgentSessionError, type ErrorCode, type ErrorOptions } from '@banister/provider';

/** The statuses with which the gateway refuses a request. */
export type RefusalStatus = 400 | 401 | 403 | 404 | 405 | 406 | 408 | 409 | 413 | 415 | 429 | 500;

/** A request that the gateway refuses before the first byte of an answer. */
export class Refusal extends Error {
  readonly error: AgentSessionError;

  /**
   * @param message a sentence for the user; it must not repeat text of the request
   * @param headers headers of the response
   */
  constructor(
    readonly status: RefusalStatus,
    code: ErrorCode,
    message: string,
    options: ErrorOptions = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.error = new AgentSessionError(code, message, options);
  }
}

/** Returns the refusal of a request that does not follow the protocol. */
export function malformed(message: string): Refusal {
  return new Refusal(400, 'invalid-input', message);
}

/** Returns the refusal of a request that exceeds a quota, with `retry-after` if the time is known. */
export function overQuota(
  code: 'rate-limit' | 'quota',
  message: string,
  limit: string,
  waitMs: number | null,
): Refusal {
  // A store may return anything.
  if (!Number.isFinite(waitMs))
    return new Refusal(429, code, message, { retry: 'after-action', details: { limit } });
  const seconds = Math.max(1, Math.ceil(waitMs! / 1_000));
  return new Refusal(
    429,
    code,
    message,
    { retry: { afterMs: seconds * 1_000 }, details: { limit } },
    { 'retry-after': String(seconds) },
  );
}
