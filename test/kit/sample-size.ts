import { inject } from 'vitest';

/** Share of the runs and samples that the quick tier takes, and the most that it takes: 150 schedules in place of 2,000. */
const QUICK_SHARE = 0.15;
const QUICK_MOST = 150;

/**
 * How many runs or samples this tier takes.
 *
 * @param full how many the full tier takes
 */
export function sampleSize(full: number): number {
  return inject('tier') === 'full' ? full : Math.min(QUICK_MOST, Math.ceil(full * QUICK_SHARE));
}
