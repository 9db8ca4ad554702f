import type { Clock } from '@banister/provider';

/** The time and the timers of the page. */
export const pageClock: Clock = {
  now: () => Date.now(),
  schedule(callback, ms) {
    const handle = setTimeout(callback, ms);
    return () => clearTimeout(handle);
  },
};
