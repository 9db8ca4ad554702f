import type { JsonObject, JsonValue } from '@banister/provider';
import type { ValidationIssue, Validate } from './schema-validator.js';
import { checkWork, TooMuchWork } from './check-work.js';
import { listsWithTwins } from './lists-with-twins.js';
import { mapSchemas } from './map-schemas.js';
import type { SchemaPatterns } from './schema-patterns.js';

/** The lists of a value that violate `uniqueItems`, each with a number for its content. */
export type Twins = ReadonlyMap<object, number>;

const none: Twins = new Map();

type Check = (value: JsonValue, twins: Twins) => readonly ValidationIssue[];

/**
 * Returns a check that ends in limited time and memory, even for a schema of unknown origin.
 *
 * @param compile creates the check of the validator, after the schema is known to be small enough. The check receives the lists that
 *   violate `uniqueItems`, because both validators would need quadratic time to find them
 * @throws Error for a schema that is too large
 */
export function boundedCheck(schema: JsonObject, patterns: SchemaPatterns, compile: () => Check): Validate {
  const spend = checkWork(schema, patterns.matches);
  const check = compile();
  const looksForTwins = hasUniqueItems(schema);
  const limited = patterns.bounded((value) => {
    spend(value);
    return check(value, looksForTwins ? listsWithTwins(value) : none);
  });
  return (value) => {
    try {
      return limited(value);
    } catch (error) {
      return [{ path: [], message: reasonOf(error) }];
    }
  };
}

/** Returns why a value is refused if its check failed. Then the call must not run, and the next call is checked as usual. */
function reasonOf(error: unknown): string {
  // A `RangeError` means that the stack is full: because of endless references, a value that is too deep, or too many issues.
  if (error instanceof TooMuchWork || error instanceof RangeError)
    return 'takes too much work to be checked against the schema';
  return `cannot be checked against the schema: ${error instanceof Error ? error.message : String(error)}`;
}

function hasUniqueItems(schema: JsonObject): boolean {
  let found = false;
  mapSchemas(schema, (inner) => {
    found ||= inner.uniqueItems === true;
    return inner;
  });
  return found;
}
