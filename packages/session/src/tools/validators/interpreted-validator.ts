import { format as formats, Validator, type Schema } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from '../../json/json.js';
import type { SchemaValidator } from '../../ports/schema-validator.js';
import type { ValidationIssue } from '../../ports/schema-validator.js';
import { describeIssue, pointerPath, uniqueIssues } from './describe-issue.js';
import { isObject } from './is-object.js';
import { mapSchemas } from './map-schemas.js';
import type { LoadMatcher } from './pattern-matcher.js';
import { schemaPatterns, type SchemaPatterns } from './schema-patterns.js';

/** Creates a validator that interprets schemas: it needs no code generation, and is a small download. */
export function createInterpretedValidator(loadMatcher: LoadMatcher): SchemaValidator {
  return {
    async compile({ $schema: _dialect, ...given }) {
      const patterns = await schemaPatterns(given, loadMatcher);
      const schema = prepared(given, patterns);
      checkReferences(schema, schema);
      if (!hasLinearKeys(schema, patterns)) return patterns.bounded(checkOf(schema));
      return patterns.bounded((value) => checkOf(withKeysOf(value, schema, patterns))(value));
    },
  };
}

function checkOf(schema: JsonObject): (value: JsonValue) => readonly ValidationIssue[] {
  const validator = new Validator(schema as Schema, '2020-12', false);
  return (value) =>
    uniqueIssues(
      validator.validate(value).errors.flatMap(({ keyword, keywordLocation, instanceLocation }) => {
        // The validator reports each unwanted property once more, with its own place.
        if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return [];
        const path = pointerPath(instanceLocation);
        // The validator writes the location of this keyword with another letter.
        const location = keywordLocation.replace(/dependantRequired$/, 'dependentRequired');
        const expected = expectedAt(schema, pointerPath(location));
        const actual = valueAt(value, path);
        if (keyword === 'format') {
          const pattern = String(expected).slice(linearFormat.length);
          return describeIssue({ keyword: 'pattern', expected: pattern, path, actual });
        }
        // The schema `false`, which stands for an unwanted property, has the keyword `false`.
        return describeIssue({
          keyword: keyword === 'false' ? 'additionalProperties' : keyword,
          expected,
          path,
          actual,
        });
      }),
    );
}

/** The prefix of a format that stands for a pattern: the validator accepts functions of an app only as tests of formats. */
const linearFormat = 'linear-pattern:';

/**
 * Returns the schema without `format`, an annotation that this validator would check, and with the patterns that are matched in
 * linear time as formats.
 */
function prepared(schema: JsonObject, patterns: SchemaPatterns): JsonObject {
  return mapSchemas(schema, ({ format: _format, ...rest }) => {
    const { pattern, ...others } = rest;
    if (typeof pattern !== 'string') return rest;
    const test = patterns.linear(pattern);
    if (!test) return rest;
    formats[linearFormat + pattern] = test;
    return { ...others, format: linearFormat + pattern };
  }) as JsonObject;
}

function hasLinearKeys(schema: JsonObject, patterns: SchemaPatterns): boolean {
  let found = false;
  mapSchemas(schema, (inner) => {
    const { patternProperties } = inner;
    found ||= isObject(patternProperties) && Object.keys(patternProperties).some(patterns.linear);
    return inner;
  });
  return found;
}

/**
 * Returns the schema for one value: each key of `patternProperties` that is matched in linear time is replaced by the names in the
 * value that it matches, since the validator would match the key with the browser's own engine.
 */
function withKeysOf(value: JsonValue, schema: JsonObject, patterns: SchemaPatterns): JsonObject {
  const names = [...namesIn(value)];
  return mapSchemas(schema, (inner) => {
    if (!isObject(inner.patternProperties)) return inner;
    const schemas = new Map<string, JsonValue[]>();
    for (const [pattern, one] of Object.entries(inner.patternProperties)) {
      const test = patterns.linear(pattern);
      const keys = test ? names.filter(test).map(literal) : [pattern];
      for (const key of keys) schemas.set(key, [...(schemas.get(key) ?? []), one]);
    }
    const patternProperties = Object.fromEntries([...schemas].map(([key, allOf]) => [key, { allOf }]));
    return { ...inner, patternProperties };
  }) as JsonObject;
}

/** Returns the names of all properties in a value, at each depth. */
function namesIn(value: JsonValue, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) found.add(name);
    namesIn(inner as JsonValue, found);
  }
  return found;
}

/** Returns a pattern that matches this text only. */
function literal(text: string): string {
  return `^${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;
}

/** Throws for a reference without a target, which the validator would notice only in a tool call that uses it. */
function checkReferences(root: JsonObject, schema: JsonObject): void {
  mapSchemas(schema, (inner) => {
    const { $ref } = inner;
    if (typeof $ref === 'string' && $ref.startsWith('#/') && valueAt(root, pointerPath($ref)) === undefined) {
      throw new Error(`can't resolve reference ${$ref}`);
    }
    return inner;
  });
}

/** Returns the value of the keyword at a location, whose path may contain references. */
function expectedAt(root: JsonObject, location: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = root;
  for (const key of location) {
    if (!isObject(current) && !Array.isArray(current)) return undefined;
    const value: JsonValue | undefined = childOf(current, key);
    current = key === '$ref' && typeof value === 'string' ? valueAt(root, pointerPath(value)) : value;
  }
  return current;
}

/** Returns the value at the end of a path; undefined where the path does not exist. */
function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const key of path) {
    if (!isObject(current) && !Array.isArray(current)) return undefined;
    current = childOf(current, key);
  }
  return current;
}

function childOf(parent: JsonObject | readonly JsonValue[], key: string): JsonValue | undefined {
  return Object.hasOwn(parent, key) ? (parent as JsonObject)[key] : undefined;
}
