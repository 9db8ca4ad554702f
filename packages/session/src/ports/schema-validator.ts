import type { JsonObject, JsonValue } from '../json/json.js';

/** One thing that is wrong with a value. */
export interface ValidationIssue {
  /** The place of the fault, as a path of keys: `['card', 'title']`; empty for the value as a whole. */
  readonly path: readonly string[];
  /** The fault, as the end of a sentence whose subject is the place: `must be a string`. */
  readonly message: string;
}

/** Checks a value against the schema that it was compiled from. An empty list means that the value is valid. Never throws. */
export type Validate = (value: JsonValue) => readonly ValidationIssue[];

/**
 * Compiles JSON Schemas to checks. Each built-in validator is a chunk of its own. A check is kept for as long as its validator
 * and the schema object that it was compiled from, and all sessions that share both use it.
 */
export interface SchemaValidator {
  /** Returns the check of a schema. Throws, or rejects, when the schema itself is wrong: calls of its tool are then rejected. */
  compile(schema: JsonObject): Validate | Promise<Validate>;
}
