import type { JsonObject, JsonValue } from '../../json/json.js';
import type { ValidationIssue, Validate } from '../../ports/schema-validator.js';
import { checkWork, TooMuchWork } from './check-work.js';
import { listsWithTwins } from './lists-with-twins.js';
import { mapSchemas } from './map-schemas.js';
import type { SchemaPatterns } from './schema-patterns.js';

/** The lists of a value that do not meet `uniqueItems`, with a number for the content of each. */
export type Twins = ReadonlyMap<object, number>;

const none: Twins = new Map();

type Check = (value: JsonValue, twins: Twins) => readonly ValidationIssue[];

/**
 * Returns a check that ends in bounded time and memory, also for a schema of unknown origin.
 *
 * @param compile makes the check of the validator, once the schema is known to be small enough. The check gets the lists that do not meet
 *   `uniqueItems`, which both validators would look for in quadratic time
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

/** Returns why a value is refused whose check failed: a call must not run then, and the next one is checked. */
function reasonOf(error: unknown): string {
  // A `RangeError` is a stack that is full: of references without end, of a value that is too deep, or of too many issues.
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
