import type { ErrorCode } from '../errors/agent-session-error.js';
import { set, type Change } from './change.js';

/** A request that failed is going to be sent again. A view counts down to `at`: "Attempt 2 of 4, in 3 s". */
export interface PendingRetry {
  /** The number of the next attempt, 1-based. */
  readonly attempt: number;
  /** The most attempts that are made. */
  readonly of: number;
  /** The time of the next attempt, as the clock of the session has it: milliseconds since 1970, unless the port `clock` counts otherwise. */
  readonly at: number;
  /** The error of the last attempt. */
  readonly code: ErrorCode;
}

/** The changes with which the wait for an attempt has its end. */
export function retryEnded({
  pendingRetry,
}: {
  readonly pendingRetry: PendingRetry | null;
}): readonly Change[] {
  return pendingRetry ? [set(['pendingRetry'], null)] : [];
}
