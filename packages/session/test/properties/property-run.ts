import type fc from 'fast-check';

/**
 * Settings of one property: its number of runs and its seed, which are printed so that every run can be repeated.
 * PROPERTY_RUNS, PROPERTY_SEED and PROPERTY_PATH override them; PROPERTY_SHRINK=0 shows a failure as it was found.
 *
 * @example
 * PROPERTY_SEED=42 PROPERTY_PATH=17:0:3 npx vitest run --project unit packages/session/test/properties/schedules.test.ts
 */
export function propertyRun<T>(title: string, runs: number): fc.Parameters<T> {
  const { PROPERTY_RUNS, PROPERTY_SEED, PROPERTY_PATH, PROPERTY_SHRINK } = process.env;
  const numRuns = PROPERTY_RUNS === undefined ? runs : Number(PROPERTY_RUNS);
  const seed = PROPERTY_SEED === undefined ? Date.now() % 2 ** 31 : Number(PROPERTY_SEED);
  console.log(`${title}: ${numRuns} runs, seed ${seed}`);
  const endOnFailure = PROPERTY_SHRINK === '0';
  return { numRuns, seed, endOnFailure, ...(PROPERTY_PATH === undefined ? {} : { path: PROPERTY_PATH }) };
}
