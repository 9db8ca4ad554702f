/** The values that the configuration provides to every test, in Node and in a browser. */
declare module 'vitest' {
  interface ProvidedContext {
    /** The seed of every property of this run. */
    propertySeed: number;
    /** The variables of the environment, which a browser does not have, that change how properties run. */
    propertySettings: PropertySettings;
    /** `quick` is `npm test`; `full` is `npm test -- --full`. */
    tier: Tier;
  }
}

/** Variables of the environment that change how properties run. */
export type PropertySettings = Readonly<
  Partial<Record<'PROPERTY_RUNS' | 'PROPERTY_PATH' | 'PROPERTY_SHRINK', string>>
>;

/** How many runs and samples the tests take. */
export type Tier = 'quick' | 'full';

/**
 * The seed of a run: `PROPERTY_SEED`, or the day in UTC as a number, 20261122 for the 22nd of November 2026. So every run of
 * a day repeats the same cases, and every day brings new ones.
 *
 * @throws Error when `PROPERTY_SEED` is no whole number
 */
export function propertySeed(given: string | undefined, now: Date): number {
  if (given === undefined || given === '') return Number(now.toISOString().slice(0, 10).replaceAll('-', ''));
  const seed = Number(given);
  if (!Number.isInteger(seed)) throw new Error(`PROPERTY_SEED must be a whole number; got "${given}".`);
  return seed;
}

/** Those of an environment that it has. */
export function propertySettings(
  environment: Readonly<Record<string, string | undefined>>,
): PropertySettings {
  const names = ['PROPERTY_RUNS', 'PROPERTY_PATH', 'PROPERTY_SHRINK'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

/** The tier that `BANISTER_TIER` names; `quick` by default. */
export function tierOf(given: string | undefined): Tier {
  return given === 'full' ? 'full' : 'quick';
}
