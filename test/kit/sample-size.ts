import { inject } from 'vitest';

/** Share of the runs and samples that the quick tier takes: 300 schedules in place of 2,000. */
const QUICK_SHARE = 0.15;

/**
 * How many runs or samples this tier takes.
 *
 * @param full how many the full tier takes
 */
export function sampleSize(full: number): number {
  return inject('tier') === 'full' ? full : Math.ceil(full * QUICK_SHARE);
}
