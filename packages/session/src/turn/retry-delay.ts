import type { AgentSessionError } from '../errors/agent-session-error.js';

/** First wait, in milliseconds; doubles with each attempt. */
const FIRST_DELAY = 500;
/** Longest wait of our own making, in milliseconds. */
const LONGEST_DELAY = 16_000;
/** Longest wait that a server may ask for before the turn rather fails, in milliseconds. */
const LONGEST_SERVER_DELAY = 60_000;
/** The wait varies by this share to both sides, so that clients that failed together do not come back together. */
const JITTER = 0.25;

/**
 * Milliseconds to wait before the next attempt, or null when there should be none: the error would come again, the
 * attempts are used up, or the server wants more patience than a user has.
 */
export function retryDelay(
  error: AgentSessionError,
  failedAttempt: number,
  maxRetries: number,
  random: () => number,
): number | null {
  if (failedAttempt > maxRetries) return null;
  const { retry } = error;
  if (retry === 'never' || retry === 'after-action') return null;
  if (retry !== 'now') return retry.afterMs <= LONGEST_SERVER_DELAY ? Math.max(0, retry.afterMs) : null;
  const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (failedAttempt - 1));
  return Math.round(delay * (1 - JITTER + 2 * JITTER * random()));
}
