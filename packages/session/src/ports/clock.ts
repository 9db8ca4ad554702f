/** Time. Every timer and timestamp of a session goes through it, so that tests run on a virtual clock. */
export interface Clock {
  /** Milliseconds since the epoch, for timestamps. It jumps when the machine slept, or when its clock is set. */
  now(): number;
  /**
   * Milliseconds since any moment, for measuring how long something took. It never goes back, and runs at the pace of the
   * timers. Default: `now`.
   */
  monotonic?(): number;
  /** Calls `callback` once after `ms` milliseconds; returns the function that cancels it. */
  schedule(callback: () => void, ms: number): () => void;
}

/** Longest delay that a browser timer holds (2^31 - 1 ms, about 24 days); a longer one would fire at once. */
const LONGEST_TIMER = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(callback, ms) {
    if (ms > LONGEST_TIMER) return () => {};
    const handle = setTimeout(callback, ms);
    return () => clearTimeout(handle);
  },
};

/** The time of a clock for measuring: only the difference between two of its values has a meaning. */
export function monotonicTime(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}
