/** The time of a session. All timers and timestamps come from it, so that tests can use a virtual clock. */
export interface Clock {
  /** Milliseconds since 1970, for timestamps. It jumps when the machine wakes from sleep, or when its clock is set. */
  now(): number;
  /**
   * Milliseconds since an arbitrary moment, for durations. It never decreases, and advances at the same rate as the timers. Default: `now`.
   */
  monotonic?(): number;
  /** Calls `callback` once after `ms` milliseconds; returns a function that cancels the call. */
  schedule(callback: () => void, ms: number): () => void;
}

/** The longest delay of a browser timer (2^31 - 1 ms, about 24 days). A longer delay would fire at once. */
const LONGEST_TIMER = 2_147_483_647;

/** The clock of the platform, the default of a session. It uses `Date`, `performance` and `setTimeout`. */
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
 * Returns the monotonic time of a clock, in milliseconds. Only the difference between two values is meaningful.
 *
 * @example
 * const began = monotonicTime(systemClock);
 */
export function monotonicTime(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}
