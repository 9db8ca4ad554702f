import type { JsonObject } from '@banister/provider';
import type { Validate } from './schema-validator.js';
import { isObject } from './is-object.js';
import { mapSchemas } from './map-schemas.js';
import type { LoadMatcher } from './load-matcher.js';

/**
 * The maximal number of steps that all patterns of a schema may take in one check of arguments. Half a million steps took 25 to 110 ms,
 * depending on the pattern (Node 20); this is the longest time for which a call or an edit may block the page. The steps suffice for an
 * e-mail address of 30,000 characters.
 */
export const maxPatternSteps = 500_000;

/** The maximal number of states of all patterns of a schema. It limits their memory, and the time to compile them. */
const maxStates = 200_000;

/** The patterns of a schema, matched in limited time. */
export interface SchemaPatterns {
  /** Returns the test of a pattern; undefined if the browser's own engine also matches the pattern in linear time, because it is faster. */
  linear(pattern: string): ((text: string) => boolean) | undefined;
  /** Returns true if a name matches a pattern. */
  matches(pattern: string, name: string): boolean;
  /** Limits the time of a check that uses the tests of `linear`. */
  bounded(check: Validate): Validate;
}

/**
 * Compiles the patterns of a schema: the values of `pattern` and the keys of `patternProperties`. The code for linear matching is loaded
 * only for a schema whose patterns need it.
 *
 * @throws Error for an invalid pattern, or a pattern that cannot be matched in limited time
 */
export async function schemaPatterns(schema: JsonObject, loadMatcher: LoadMatcher): Promise<SchemaPatterns> {
  const found = [...placesOf(schema)];
  for (const [pattern, place] of found) attempt(pattern, place, () => new RegExp(pattern, 'u'));
  const risky = found.filter(([pattern]) => !isPlain(pattern));
  const plain = new Map(found.map(([pattern]) => [pattern, new RegExp(pattern, 'u')]));
  const matches = (pattern: string, name: string) => plain.get(pattern)?.test(name) ?? true;
  if (risky.length === 0) return { linear: () => undefined, matches, bounded: (check) => check };

  const { limitSteps, linearPattern, StepLimitError } = await loadMatcher();
  const tests = limitSteps(
    maxStates,
    () =>
      new Map(
        risky.map(([pattern, place]) => [pattern, attempt(pattern, place, () => linearPattern(pattern))]),
      ),
  );
  return {
    linear: (pattern) => tests.get(pattern),
    matches: (pattern, name) => tests.get(pattern)?.(name) ?? matches(pattern, name),
    bounded: (check) => (value) => {
      try {
        return limitSteps(maxPatternSteps, () => check(value));
      } catch (error) {
        if (!(error instanceof StepLimitError)) throw error;
        return [
          { path: [], message: 'the texts are too long to be matched with the patterns of the schema' },
        ];
      }
    },
  };
}

/** Returns the patterns of a schema, each with the place of its first use. */
function placesOf(schema: JsonObject): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const add = (pattern: string, path: readonly string[]): void => {
    if (!places.has(pattern)) places.set(pattern, ['#', ...path].join('/'));
  };
  mapSchemas(schema, (inner, path) => {
    if (typeof inner.pattern === 'string') add(inner.pattern, [...path, 'pattern']);
    if (isObject(inner.patternProperties)) {
      for (const key of Object.keys(inner.patternProperties)) add(key, [...path, 'patternProperties']);
    }
    return inner;
  });
  return places;
}

function attempt<T>(pattern: string, place: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the pattern ${pattern} at ${place} cannot be used: ${why}`, { cause: error });
  }
}

/**
 * Returns true for a pattern with which an engine cannot backtrack far. It has no group and no alternative. It has no quantifier, or, if
 * each match begins at the start of the text, at most one quantifier with a variable count. Most patterns of tools are plain. Some plain
 * patterns are not recognised: `\+` counts as a quantifier.
 */
function isPlain(pattern: string): boolean {
  if (/[(|]/.test(pattern)) return false;
  const quantifiers = pattern.match(/[*+?]|\{\d+(,\d*)?\}/g) ?? [];
  if (quantifiers.length === 0) return true;
  const open = quantifiers.filter((quantifier) => !/^\{\d{1,2}\}$/.test(quantifier));
  return pattern.startsWith('^') && open.length <= 1;
}
