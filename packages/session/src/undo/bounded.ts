import type { Clock } from '../ports/clock.js';

/** The same promise, but rejected after `ms` without an answer. What comes later is dropped. */
export function bounded<T>(promise: Promise<T> | T, ms: number, clock: Clock, what: string): Promise<T> {
  if (ms === Infinity) return Promise.resolve(promise);
  return new Promise((resolve, reject) => {
    const stopTimer = clock.schedule(() => reject(new Error(`${what} did not answer within ${ms} ms`)), ms);
    Promise.resolve(promise).then(resolve, reject).finally(stopTimer);
  });
}
