import type { AgentSessionError } from '../errors/agent-session-error.js';
import type { Turn } from './turn-context.js';

/** First wait, in milliseconds; doubles with each attempt. */
const FIRST_DELAY = 500;
/** Longest wait without a request of the server, in milliseconds. */
const LONGEST_DELAY = 16_000;
/** Longest wait that a server may request, in milliseconds; the turn fails at a longer one. */
const LONGEST_SERVER_DELAY = 60_000;
/** The share by which the wait varies to both sides, so that clients which failed together do not repeat together. */
const JITTER = 0.25;

type RetryingTurn = Pick<Turn, 'settings' | 'clock' | 'ports'>;

/**
 * Returns the milliseconds to wait before the next attempt; null when there is none: the same request would fail again, the attempts
 * are used up, or the server requests a wait that is too long, or that ends behind a turn whose time limit fails it.
 */
export function retryDelay(
  { retry }: AgentSessionError,
  failedAttempt: number,
  { settings: { limits }, clock, ports }: RetryingTurn,
): number | null {
  if (failedAttempt > limits.maxRetries || retry === 'never' || retry === 'after-action') return null;
  if (retry === 'now') {
    const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (failedAttempt - 1));
    return Math.round(delay * (1 - JITTER + 2 * JITTER * ports.random()));
  }
  if (retry.afterMs > LONGEST_SERVER_DELAY) return null;
  // Where the limit does not fail the turn, it keeps the effects, or the user is asked for more time.
  if (limits.onTrip === 'fail' && retry.afterMs >= clock.allowed - clock.elapsed()) return null;
  return Math.max(0, retry.afterMs);
}
