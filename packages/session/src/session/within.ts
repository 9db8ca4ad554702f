import type { Clock } from '../ports/clock.js';
import { hasSlept } from './has-slept.js';

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
