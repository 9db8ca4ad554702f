/** Time. Every timer and timestamp of a session goes through it, so that tests run on a virtual clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `callback` once after `ms` milliseconds; returns the function that cancels it. */
  schedule(callback: () => void, ms: number): () => void;
}

/** Longest delay that a browser timer holds (2^31 - 1 ms, about 24 days); a longer one would fire at once. */
const LONGEST_TIMER = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(callback, ms) {
    if (ms > LONGEST_TIMER) return () => {};
    const handle = setTimeout(callback, ms);
    return () => clearTimeout(handle);
  },
};
