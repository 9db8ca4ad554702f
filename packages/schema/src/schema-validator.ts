import type { JsonObject, JsonValue } from '@banister/provider';

/** One fault of a value. */
export interface ValidationIssue {
  /** The place of the fault as a path of keys, such as `['card', 'title']`; empty for the whole value. */
  readonly path: readonly string[];
  /** The fault, as the end of a sentence whose subject is the place: `must be a string`. */
  readonly message: string;
}

/** Checks a value against the schema from which it was compiled. An empty list means that the value is valid. Never throws. */
export type Validate = (value: JsonValue) => readonly ValidationIssue[];

/**
 * Compiles JSON Schemas to checks. Each built-in validator is in a chunk of its own. A check is kept as long as its validator and its
 * schema object exist, and all sessions with the same validator and schema object share it.
 */
export interface SchemaValidator {
  /** Returns the check of a schema. Throws or rejects if the schema itself is wrong; then calls of its tool are rejected. */
  compile(schema: JsonObject): Validate | Promise<Validate>;
}
