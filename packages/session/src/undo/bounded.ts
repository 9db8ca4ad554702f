import type { Clock } from '@banister/provider';

/** The error of a promise that took too long. */
export class TooSlow extends Error {
  constructor(
    what: string,
    readonly ms: number,
  ) {
    super(`${what} did not answer within ${ms} ms`);
  }
}

/**
 * Returns the promise with a time limit: it rejects after `ms` milliseconds, and a later result of the given promise is dropped.
 *
 * @param isLate called when the time is over; if it returns false, nothing is rejected, and the time begins again: the work has ended, and
 *   the promise is about to settle, or the work waits for something that has no part in its time. Default: returns true
 */
export function bounded<T>(
  promise: Promise<T> | T,
  ms: number,
  clock: Pick<Clock, 'schedule'>,
  what: string,
  isLate: () => boolean = () => true,
): Promise<T> {
  if (ms === Infinity) return Promise.resolve(promise);
  return new Promise((resolve, reject) => {
    const start = () =>
      clock.schedule(() => {
        if (isLate()) reject(new TooSlow(what, ms));
        else stopTimer = start();
      }, ms);
    let stopTimer = start();
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => stopTimer());
  });
}
