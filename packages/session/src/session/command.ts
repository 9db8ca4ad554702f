import { untracked } from '../signals/signals-core.js';

/**
 * Makes a public method of an async function. The method never throws at once, an effect that calls it does not track the signals
 * that it reads, and its rejection may be ignored, since the state holds the failure.
 */
export function command<Args extends unknown[], R>(
  run: (...args: Args) => Promise<R>,
): (...args: Args) => Promise<R> {
  return (...args) => {
    const promise = untracked(() => {
      try {
        return run(...args);
      } catch (error) {
        return Promise.reject<R>(error as Error);
      }
    });
    promise.catch(() => {});
    return promise;
  };
}
