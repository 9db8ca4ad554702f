import type { Clock } from '../ports/clock.js';

/**
 * Resolves as the promise does, if that is within the time and before the signal fires; else with null. Rejects as the promise.
 */
export function within<T>(
  promise: Promise<T>,
  ms: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const end = () => {
      stopTimer();
      signal?.removeEventListener('abort', giveUp);
    };
    const giveUp = () => {
      end();
      resolve(null);
    };
    const stopTimer = clock.schedule(giveUp, ms);
    signal?.addEventListener('abort', giveUp, { once: true });
    promise.finally(end).then(resolve, reject);
  });
}
