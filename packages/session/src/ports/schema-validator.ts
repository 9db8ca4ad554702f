import type { JsonObject, JsonValue } from '../json/json.js';

/** One thing that is wrong with a value. */
export interface ValidationIssue {
  /** Where, as a path of keys: `['card', 'title']`; empty for the value as a whole. */
  readonly path: readonly string[];
  /** What, as the end of a sentence: `must be a string`. */
  readonly message: string;
}

/** Checks a value against the schema it was made for; no issues means valid. Never throws. */
export type Validate = (value: JsonValue) => readonly ValidationIssue[];

/**
 * Compiles JSON Schemas to checks. The built-in ones are chunks of their own. A check is kept for as long as the validator and the
 * schema object that it was made of, and is used by all sessions that share both.
 */
export interface SchemaValidator {
  /** Throws when the schema itself is wrong. */
  compile(schema: JsonObject): Validate | Promise<Validate>;
}
