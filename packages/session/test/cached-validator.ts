import type { SchemaValidator } from '@banister/schema';

/** Returns the validator with each schema compiled once for all sessions of a test, since hundreds of them have the same tools. */
export function cachedValidator(real: SchemaValidator): SchemaValidator {
  const compiled = new Map<string, ReturnType<SchemaValidator['compile']>>();
  return {
    compile(schema) {
      const key = JSON.stringify(schema);
      const known = compiled.get(key) ?? real.compile(schema);
      compiled.set(key, known);
      return known;
    },
  };
}
