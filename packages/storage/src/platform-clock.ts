import type { Clock } from '@banister/provider';

/** The clock of the platform. */
export const platformClock: Clock = {
  now: () => Date.now(),
  schedule(callback, ms) {
    const handle = setTimeout(callback, ms);
    return () => clearTimeout(handle);
  },
};
