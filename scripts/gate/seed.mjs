// @ts-check

/**
 * The seed of a run: `PROPERTY_SEED`, or the day in UTC as a number, 20261122 for the 22nd of November 2026. So every run of
 * a day repeats the same cases, and every day brings new ones.
 *
 * @param {string | undefined} given
 * @param {Date} now
 * @returns {number}
 * @throws Error when `PROPERTY_SEED` is no whole number
 */
export function propertySeed(given, now) {
  if (given === undefined || given === '') return Number(now.toISOString().slice(0, 10).replaceAll('-', ''));
  const seed = Number(given);
  if (!Number.isInteger(seed)) throw new Error(`PROPERTY_SEED must be a whole number; got "${given}".`);
  return seed;
}
