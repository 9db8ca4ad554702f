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

export { propertySeed } from '../../scripts/gate/seed.mjs';

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
