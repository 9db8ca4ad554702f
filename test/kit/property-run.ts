import type fc from 'fast-check';

/** The same cases in every run by default: what turns red was turned red by a change, not by the dice. */
const defaultSeed = 10_590_547;

/**
 * Settings of one property: its number of runs and its seed, which are printed so that every run can be repeated.
 * PROPERTY_RUNS, PROPERTY_SEED (a number, or `random` to look further) and PROPERTY_PATH override them;
 * PROPERTY_SHRINK=0 shows a failure as it was found.
 *
 * @example
 * PROPERTY_SEED=42 PROPERTY_PATH=17:0:3 npx vitest run --project unit packages/session/test/properties/schedules.test.ts
 */
export function propertyRun<T>(title: string, runs: number): fc.Parameters<T> {
  // A browser has no environment.
  const environment = typeof process === 'undefined' ? {} : process.env;
  const { PROPERTY_RUNS, PROPERTY_SEED, PROPERTY_PATH, PROPERTY_SHRINK } = environment;
  const numRuns = PROPERTY_RUNS === undefined ? runs : Number(PROPERTY_RUNS);
  const seed = PROPERTY_SEED === 'random' ? Date.now() % 2 ** 31 : Number(PROPERTY_SEED ?? defaultSeed);
  console.log(`${title}: ${numRuns} runs, seed ${seed}`);
  const endOnFailure = PROPERTY_SHRINK === '0';
  return { numRuns, seed, endOnFailure, ...(PROPERTY_PATH === undefined ? {} : { path: PROPERTY_PATH }) };
}
