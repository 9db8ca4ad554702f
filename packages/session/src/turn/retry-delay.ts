import type { AgentSessionError } from '@banister/provider';
import type { Turn } from './turn-context.js';

/** The first wait, in milliseconds. It doubles with each attempt. */
const FIRST_DELAY = 500;
/** The longest wait if the server requests none, in milliseconds. */
const LONGEST_DELAY = 16_000;
/** The longest wait that a server may request, in milliseconds. If it requests a longer wait, the turn fails. */
const LONGEST_SERVER_DELAY = 60_000;
/** The share by which the wait varies in both directions, so that clients that failed at the same time do not retry at the same time. */
const JITTER = 0.25;

type RetryingTurn = Pick<Turn, 'settings' | 'time' | 'ports'>;

/**
 * Returns the milliseconds to wait before the next attempt. Returns null if there is no next attempt: the same request would fail again,
 * the attempts are used up, the server requests a wait that is too long, or the time limit of the turn would fail the turn before the wait
 * ends.
 */
export function retryDelay(
  { retry }: AgentSessionError,
  failedAttempt: number,
  { settings: { limits }, time: { timeoutMs }, ports }: RetryingTurn,
): number | null {
  if (failedAttempt > limits.maxRetries || retry === 'never' || retry === 'after-action') return null;
  if (retry === 'now') {
    const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (failedAttempt - 1));
    return Math.round(delay * (1 - JITTER + 2 * JITTER * ports.random()));
  }
  if (retry.afterMs > LONGEST_SERVER_DELAY) return null;
  // Without `fail`, the time limit keeps the effects, or the user is asked for more time.
  if (limits.onTrip === 'fail' && retry.afterMs >= timeoutMs.allowed - timeoutMs.elapsed()) return null;
  return Math.max(0, retry.afterMs);
}
