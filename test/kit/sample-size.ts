import { inject } from 'vitest';

/** Share of the runs and samples that the quick tier takes, and the most that it takes: 60 schedules in place of 2,000. */
const QUICK_SHARE = 0.08;
const QUICK_MOST = 60;

/**
 * How many runs or samples this tier takes.
 *
 * @param full how many the full tier takes
 */
export function sampleSize(full: number): number {
  return inject('tier') === 'full' ? full : Math.min(QUICK_MOST, Math.ceil(full * QUICK_SHARE));
}

/**
 * Returns the whole list; in the quick tier one of `of` elements, beginning at a place from the seed of the
 * day.
 */
export function drawnOf<T>(list: readonly T[], of: number): readonly T[] {
  const every = inject('tier') === 'full' ? 1 : Math.min(of, list.length);
  const first = inject('propertySeed') % every;
  return list.filter((_, index) => index % every === first);
}
