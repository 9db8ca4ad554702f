import { untracked } from '../signals/signals-core.js';

/**
 * A public method that returns a promise. It never throws at once, reads no signal in the name of the effect that calls
 * it, and its rejection may be ignored: what failed is in the state.
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
