import type { Clock } from '@banister/provider';

/**
 * Settles as the promise does, if that happens within the time and before the signal fires. Otherwise resolves with null. If the page slept
 * meanwhile, the time starts again.
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
    let stopTimer = () => {};
    const wait = () => {
      const begin = clock.now();
      stopTimer = clock.schedule(() => (hasSlept(clock.now() - begin, ms) ? wait() : giveUp()), ms);
    };
    wait();
    signal?.addEventListener('abort', giveUp, { once: true });
    promise.finally(end).then(resolve, reject);
  });
}

/**
 * Returns true if a timer fired so late that the page or the computer must have slept. Then answers and messages that arrived meanwhile may
 * be unread.
 *
 * @param passed the time since the timer was set, in milliseconds
 * @param ms the time for which the timer was set
 */
export function hasSlept(passed: number, ms: number): boolean {
  return passed < 0 || passed >= 2 * ms;
}
