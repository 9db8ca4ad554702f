/** The time of a session. Every timer and timestamp is taken from it, so that tests run on a virtual clock. */
export interface Clock {
  /** Milliseconds since the epoch, for timestamps. It jumps when the machine wakes from sleep, or when its clock is set. */
  now(): number;
  /**
   * Milliseconds since an arbitrary moment, for durations. It never decreases, and advances as the timers do. Default: `now`.
   */
  monotonic?(): number;
  /** Calls `callback` once after `ms` milliseconds; returns the function that cancels it. */
  schedule(callback: () => void, ms: number): () => void;
}

/** Longest delay of a browser timer (2^31 - 1 ms, about 24 days); a longer one would fire at once. */
const LONGEST_TIMER = 2_147_483_647;

/** The clock of the platform, the default of a session: `Date`, `performance` and `setTimeout`. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(callback, ms) {
    if (ms > LONGEST_TIMER) return () => {};
    const handle = setTimeout(callback, ms);
    return () => clearTimeout(handle);
  },
};

/**
 * Returns the monotonic time of a clock, in milliseconds. Only the difference between two values has a meaning.
 *
 * @example
 * const began = monotonicTime(systemClock);
 */
export function monotonicTime(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}
