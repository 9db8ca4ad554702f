import { format as formats, Validator, type Schema } from '@cfworker/json-schema';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.js';
import type { SchemaValidator } from '../../ports/schema-validator.js';
import type { ValidationIssue } from '../../ports/schema-validator.js';
import { describeIssue, pointerPath, uniqueIssues } from './describe-issue.js';
import { mapSchemas } from './map-schemas.js';
import { schemaPatterns, type SchemaPatterns } from './schema-patterns.js';

/** Interprets schemas: works under a Content-Security-Policy that forbids code generation, and is a small download. */
export function createInterpretedValidator(): SchemaValidator {
  return {
    async compile({ $schema: _dialect, ...given }) {
      const patterns = await schemaPatterns(given);
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
        // Said again, with its own place, for each unwanted property.
        if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return [];
        const path = pointerPath(instanceLocation);
        const expected = expectedAt(schema, pointerPath(keywordLocation));
        const actual = valueAt(value, path);
        if (keyword === 'format') {
          const pattern = String(expected).slice(linearFormat.length);
          return describeIssue({ keyword: 'pattern', expected: pattern, path, actual });
        }
        // An unwanted property is found by the schema `false` that stands for it.
        return describeIssue({
          keyword: keyword === 'false' ? 'additionalProperties' : keyword,
          expected,
          path,
          actual,
        });
      }),
    );
}

/** A format of this name, followed by a pattern, stands for the pattern: the validator takes tests for formats alone. */
const linearFormat = 'linear-pattern:';

/**
 * The schema without `format`, which this validator would check although JSON Schema has it as an annotation, and with
 * patterns that are matched in linear time in its place.
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
    found ||= isJsonObject(patternProperties) && Object.keys(patternProperties).some(patterns.linear);
    return inner;
  });
  return found;
}

/**
 * The schema as it reads for one value: each key of `patternProperties` that is matched in linear time is replaced by the
 * names in the value that it matches. The validator would leave it to the browser's own engine.
 */
function withKeysOf(value: JsonValue, schema: JsonObject, patterns: SchemaPatterns): JsonObject {
  const names = [...namesIn(value)];
  return mapSchemas(schema, (inner) => {
    if (!isJsonObject(inner.patternProperties)) return inner;
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

/** The names of all properties in a value, however deep. */
function namesIn(value: JsonValue, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) found.add(name);
    namesIn(inner as JsonValue, found);
  }
  return found;
}

/** A pattern that matches this text alone. */
function literal(text: string): string {
  return `^${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;
}

/** The validator resolves references when it meets them; one that leads nowhere must not wait for a tool call. */
function checkReferences(root: JsonObject, schema: JsonObject): void {
  mapSchemas(schema, (inner) => {
    const { $ref } = inner;
    if (typeof $ref === 'string' && $ref.startsWith('#/') && valueAt(root, pointerPath($ref)) === undefined) {
      throw new Error(`can't resolve reference ${$ref}`);
    }
    return inner;
  });
}

/** The value of the keyword at a location; locations lead through references. */
function expectedAt(root: JsonObject, location: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = root;
  for (const key of location) {
    if (!isJsonObject(current) && !Array.isArray(current)) return undefined;
    const value: JsonValue | undefined = childOf(current, key);
    current = key === '$ref' && typeof value === 'string' ? valueAt(root, pointerPath(value)) : value;
  }
  return current;
}

/** The value at the end of a path; undefined when the path leaves the value. */
function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const key of path) {
    if (!isJsonObject(current) && !Array.isArray(current)) return undefined;
    current = childOf(current, key);
  }
  return current;
}

function childOf(parent: JsonObject | readonly JsonValue[], key: string): JsonValue | undefined {
  return Object.hasOwn(parent, key) ? (parent as JsonObject)[key] : undefined;
}
