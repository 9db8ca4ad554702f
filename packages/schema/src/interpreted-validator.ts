import type { JsonObject, JsonValue } from '@banister/provider';
import { format as formats, Validator, type Schema } from '@cfworker/json-schema';
import type { SchemaValidator } from './schema-validator.js';
import type { ValidationIssue } from './schema-validator.js';
import { boundedCheck, type Twins } from './bounded-check.js';
import { TooMuchWork } from './check-work.js';
import { describeIssue, firstIssues, pointerPath } from './describe-issue.js';
import { isObject } from './is-object.js';
import { mapSchemas } from './map-schemas.js';
import type { LoadMatcher } from './load-matcher.js';
import { schemaPatterns, type SchemaPatterns } from './schema-patterns.js';
import { childOf, valueAt } from './value-at.js';

/** Creates a validator that interprets schemas. It needs no code generation, and is a small download. */
export function createInterpretedValidator(loadMatcher: LoadMatcher): SchemaValidator {
  return {
    async compile({ $schema: _dialect, ...given }) {
      const patterns = await schemaPatterns(given, loadMatcher);
      return boundedCheck(given, patterns, () => {
        const schema = prepared(given, patterns);
        checkReferences(schema, schema);
        const usual = withTwins(schema, []);
        const check = hasLinearKeys(schema, patterns) ? undefined : checkOf(usual, []);
        return (value, found) => {
          if (check && found.size === 0) return check(value);
          const twins = distinct(found);
          const one = twins.length === 0 ? usual : withTwins(schema, twins);
          return checkOf(check ? one : withKeysOf(value, one, patterns), twins)(value);
        };
      });
    },
  };
}

/** @param twins the lists with two equal items. In the schema, an `enum` with exactly this array replaces `uniqueItems` */
function checkOf(
  schema: JsonObject,
  twins: readonly JsonValue[],
): (value: JsonValue) => readonly ValidationIssue[] {
  const validator = new Validator(schema as Schema, '2020-12', false);
  return (value) =>
    firstIssues(validator.validate(value).errors, ({ keyword, keywordLocation, instanceLocation }) => {
      // The validator reports each unwanted property a second time, with its own place.
      if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return [];
      const path = pointerPath(instanceLocation);
      // The validator misspells this keyword in its location.
      const location = keywordLocation.replace(/dependantRequired$/, 'dependentRequired');
      const expected = expectedAt(schema, pointerPath(location));
      const actual = valueAt(value, path);
      if (keyword === 'format') {
        const pattern = String(expected).slice(linearFormat.length);
        return describeIssue({ keyword: 'pattern', expected: pattern, path, actual });
      }
      return describeIssue({ keyword: keywordOf(keyword, expected, twins), expected, path, actual });
    });
}

/** Returns the keyword of the original schema for a keyword that replaces it in the validator's schema. */
function keywordOf(keyword: string, expected: JsonValue | undefined, twins: readonly JsonValue[]): string {
  // The schema `false`, which forbids a property, is reported as the keyword `false`.
  if (keyword === 'false') return 'additionalProperties';
  return keyword === 'not' && isObject(expected) && expected.enum === twins ? 'uniqueItems' : keyword;
}

/** The maximal number of lists that this validator compares with every list of a value. */
const maxTwins = 100;

/** Returns one list for each content. */
function distinct(twins: Twins): readonly JsonValue[] {
  const lists = [...new Map([...twins].map(([list, content]) => [content, list as JsonValue])).values()];
  if (lists.length > maxTwins) throw new TooMuchWork();
  // For each list that matches none of them, the validator would serialise all of them into a message.
  return Object.defineProperty(lists, 'toJSON', { value: () => null });
}

/**
 * Returns the schema in which the lists with equal items replace `uniqueItems`, because the validator would check `uniqueItems` in
 * quadratic time.
 */
function withTwins(schema: JsonObject, twins: readonly JsonValue[]): JsonObject {
  return mapSchemas(schema, ({ uniqueItems, ...rest }) => {
    if (uniqueItems !== true || twins.length === 0) return rest;
    const { allOf } = rest;
    return {
      ...rest,
      allOf: [...(Array.isArray(allOf) ? allOf : []), { not: { enum: twins } }] as JsonValue,
    };
  }) as JsonObject;
}

/** The prefix of a format that replaces a pattern. The validator accepts test functions only for formats. */
const linearFormat = 'linear-pattern:';

/**
 * Returns the schema without `format`, because this validator would check it although it is an annotation. Patterns that are matched in
 * linear time become formats.
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
 * Returns the schema for one value. Each key of `patternProperties` that must be matched in linear time is replaced by the matching names
 * in the value, because the validator would match the key with the browser's own engine.
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

/** Returns the names of all properties in a value, at every depth. */
function namesIn(value: JsonValue, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) found.add(name);
    namesIn(inner as JsonValue, found);
  }
  return found;
}

/** Returns a pattern that matches only this text. */
function literal(text: string): string {
  return `^${text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`;
}

/** Throws for a reference without a target. The validator would notice it only in a tool call that uses it. */
function checkReferences(root: JsonObject, schema: JsonObject): void {
  mapSchemas(schema, (inner) => {
    const { $ref } = inner;
    if (typeof $ref === 'string' && $ref.startsWith('#/') && valueAt(root, pointerPath($ref)) === undefined) {
      throw new Error(`can't resolve reference ${$ref}`);
    }
    return inner;
  });
}

/** Returns the value of the keyword at a location whose path may contain references. */
function expectedAt(root: JsonObject, location: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = root;
  for (const key of location) {
    if (!isObject(current) && !Array.isArray(current)) return undefined;
    const value: JsonValue | undefined = childOf(current, key);
    current = key === '$ref' && typeof value === 'string' ? valueAt(root, pointerPath(value)) : value;
  }
  return current;
}
