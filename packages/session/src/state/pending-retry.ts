import type { ErrorCode } from '@banister/provider';
import { set, type Change } from './change.js';

/** The next attempt of a failed request. A view counts down to `at`: "Attempt 2 of 4, in 3 s". */
export interface PendingRetry {
  /** The number of the next attempt, 1-based. */
  readonly attempt: number;
  /** The highest number of attempts. */
  readonly of: number;
  /** The time of the next attempt on the clock of the session: milliseconds since 1970, unless the port `clock` counts otherwise. */
  readonly at: number;
  /** The error of the last attempt. */
  readonly code: ErrorCode;
}

/** Returns the changes that end the wait for the next attempt. */
export function retryEnded({
  pendingRetry,
}: {
  readonly pendingRetry: PendingRetry | null;
}): readonly Change[] {
  return pendingRetry ? [set(['pendingRetry'], null)] : [];
}
