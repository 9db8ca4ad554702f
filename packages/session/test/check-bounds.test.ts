// The checks of arguments end in bounded time and memory, for any schema and any value.
import { maxIssues, type LoadMatcher } from '@banister/schema';
import { createCompiledValidator } from '@banister/schema/compiled';
import { createInterpretedValidator } from '@banister/schema/interpreted';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue, SchemaValidator } from '@banister/session';
import { loadMatcher } from '../src/tools/pattern-matcher.js';
import { issueTexts } from '../src/tools/check-arguments.js';

const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

const named = <T>(count: number, make: (at: number) => T): Record<string, T> =>
  Object.fromEntries(many(count, (at) => [`n${at}`, make(at)]));

/** A schema of a few lines that is applied 2^levels times. */
function doubled(levels: number, keyword: string, leaf: JsonObject): JsonObject {
  const $defs = named<JsonValue>(levels, (at) => {
    const $ref = `#/$defs/n${at + 1}`;
    return { [keyword]: [{ $ref }, { $ref }] };
  });
  return { $defs: { ...$defs, [`n${levels}`]: leaf }, $ref: '#/$defs/n0' };
}

/** A value inside itself, as deep as said. */
function nested(depth: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  return many(depth, () => wrap).reduce<JsonValue>((inner, next) => next(inner), 1);
}

const twice = (inner: JsonObject): JsonObject => ({
  properties: { c: { allOf: [inner, inner] } },
});
const row = { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'number' } } };
const tooMuch = 'takes too much work to be checked against the schema';
const objects = many(20_000, (id) => ({ kind: 'card', id }));

/** Schemas and values on which a validator alone takes seconds, minutes, or all memory. */
const hostile: Readonly<Record<string, readonly [schema: JsonObject, value: JsonValue]>> = {
  'distinct objects under uniqueItems': [{ uniqueItems: true }, objects],
  'objects under uniqueItems whose last is the first': [{ uniqueItems: true }, [...objects, objects[0]!]],
  'texts under uniqueItems': [{ uniqueItems: true }, many(50_000, String)],
  'lists under uniqueItems in each other': [
    { $defs: { list: { uniqueItems: true, items: { $ref: '#/$defs/list' } } }, $ref: '#/$defs/list' },
    nested(1_000, (inner) => [inner, [inner === 1 ? 2 : 1], 3]),
  ],
  'lists under uniqueItems with a twin each': [
    { items: { uniqueItems: true } },
    many(20_000, (at) => [at, 1, at]),
  ],
  'doubled references, a value that fits': [doubled(24, 'allOf', {}), {}],
  'doubled references, a value that does not': [doubled(24, 'allOf', { type: 'string' }), {}],
  'doubled references below the bound': [doubled(16, 'allOf', { type: 'string' }), {}],
  'doubled alternatives': [doubled(24, 'anyOf', { type: 'string' }), {}],
  'doubled exclusive alternatives': [doubled(24, 'oneOf', { type: 'string' }), {}],
  'alternatives inside alternatives, by the value': [
    { oneOf: many(8, (at) => ({ properties: { c: { $ref: '#' }, t: { const: at } } })) },
    nested(30, (c) => ({ c, t: 3 })),
  ],
  'doubled dynamic references': [
    { $dynamicAnchor: 'node', ...twice({ $dynamicRef: '#node' }) },
    nested(30, (c) => ({ c })),
  ],
  'doubled references by address': [
    { $id: 'https://a.test/s', $defs: { x: { $id: 't', ...twice({ $ref: 't' }) } }, $ref: 't' },
    nested(30, (c) => ({ c })),
  ],
  'doubled references by name': [
    { $defs: { x: { $anchor: 'x', ...twice({ $ref: '#x' }) } }, $ref: '#x' },
    nested(30, (c) => ({ c })),
  ],
  'doubled conditions': [
    { if: { properties: { c: { $ref: '#' } } }, then: { properties: { c: { $ref: '#' } } } },
    nested(30, (c) => ({ c })),
  ],
  'doubled negations': [
    { not: { properties: { c: { $ref: '#' }, no: false } }, properties: { c: { $ref: '#' } } },
    nested(30, (c) => ({ c, no: 1 })),
  ],
  'doubled dependent schemas': [
    { dependentSchemas: { c: twice({ $ref: '#' }) } },
    nested(30, (c) => ({ c })),
  ],
  'doubled names of properties': [
    { patternProperties: { c: { $ref: '#' }, '^c': { $ref: '#' } } },
    nested(30, (c) => ({ c })),
  ],
  'doubled unevaluated properties': [
    { allOf: [{ unevaluatedProperties: { $ref: '#' } }, { additionalProperties: { $ref: '#' } }] },
    nested(30, (c) => ({ c })),
  ],
  'contains inside contains': [
    { allOf: [{ contains: { $ref: '#' } }, { contains: { $ref: '#' } }], minItems: 1 },
    nested(30, (inner) => [inner]),
  ],
  'a reference to itself': [{ $ref: '#' }, {}],
  'a value that is deep': [{ items: { $ref: '#' } }, nested(3_000, (inner) => [inner])],
  'errors in referenced items': [
    { items: { $ref: '#/$defs/x' }, $defs: { x: { $ref: '#/$defs/y' }, y: { type: 'string' } } },
    many(90_000, () => 1),
  ],
  'missing properties in each item': [{ items: { required: many(1_000, String) } }, many(5_000, () => ({}))],
  'wrong values in each item': [{ items: { enum: many(1_000, String) } }, many(7_000, () => 'x')],
  'large data in each item': [{ items: { const: many(1_000, (at) => at) } }, many(7_000, () => [0])],
  'names under an enum': [{ propertyNames: { enum: many(500, String) } }, named(10_000, () => 1)],
  'many keys of patternProperties': [
    { patternProperties: Object.fromEntries(many(100, (at) => [`^n${at}`, { type: 'string' }])) },
    named(5_000, () => 1),
  ],
  'many properties in each item': [
    { items: { properties: named(3_000, () => ({})) } },
    many(5_000, () => ({})),
  ],
  'unevaluated properties of many parts': [
    { allOf: many(100, (at) => ({ properties: { [`n${at}`]: {} } })), unevaluatedProperties: false },
    named(5_000, () => 1),
  ],
  'long texts, measured again and again': [
    { allOf: many(1_000, () => ({ maxLength: 9 })) },
    'a'.repeat(900_000),
  ],
};

const validators: readonly (readonly [string, (loadMatcher: LoadMatcher) => SchemaValidator])[] = [
  ['compiled', createCompiledValidator],
  ['interpreted', createInterpretedValidator],
];

describe.each(validators)('%s', (_name, create) => {
  it.each(Object.entries(hostile))(
    'audit-X4 a check ends soon and with few issues: %s',
    async (_case, given) => {
      const [schema, value] = given;
      const validate = await create(loadMatcher).compile(schema);
      const begun = process.cpuUsage();
      const issues = validate(value);
      const { user } = process.cpuUsage(begun);
      // A few hundred milliseconds; without bounds the cases take up to minutes, or end the process.
      expect(user / 1000).toBeLessThan(4_000);
      expect(issues.length).toBeLessThanOrEqual(maxIssues);
    },
  );

  it('audit-X4 a list of many objects is checked for duplicate items', async () => {
    const validate = await create(loadMatcher).compile({ uniqueItems: true });
    expect(validate(objects)).toEqual([]);
    const swapped = { id: 7, kind: 'card' };
    expect(issueTexts(validate([...objects, swapped]))).toEqual(['must not hold the same item twice']);
  });

  it('audit-X4 a list of 50,000 rows is checked, and its fault is named', async () => {
    const validate = await create(loadMatcher).compile({ items: row });
    const rows: JsonObject[] = many(50_000, (b) => ({ a: 'x', b }));
    expect(validate(rows)).toEqual([]);
    rows[40_000] = { a: 1, b: 2 };
    expect(issueTexts(validate(rows))).toEqual(['"40000.a" must be of type string']);
  });

  it('audit-X5 a value whose check would take too many steps is refused, and the next value is checked', async () => {
    const { $ref, $defs } = doubled(24, 'allOf', { type: 'string' });
    const validate = await create(loadMatcher).compile({ properties: { x: { $ref: $ref! } }, $defs: $defs! });
    expect(issueTexts(validate({ x: 1 }))).toEqual([tooMuch]);
    expect(validate({ y: 1 })).toEqual([]);
  });

  it('audit-X5 a schema with too many parts is refused when it is compiled', async () => {
    const large = { properties: named(5_001, () => ({})) };
    await expect(async () => create(loadMatcher).compile(large)).rejects.toThrow(
      'it has more than 5000 schemas inside',
    );
    const pattern = (at: number) => ({ pattern: `^(a{1000}){20}(b|${at})$` });
    await expect(async () => create(loadMatcher).compile({ properties: named(20, pattern) })).rejects.toThrow(
      'the patterns take too many steps together',
    );
  });

  it('audit-X5 a list of faults names the first 100, and an enum its first 200 values', async () => {
    const validate = await create(loadMatcher).compile({ items: { enum: many(300, (at) => at) } });
    const issues = issueTexts(validate(many(150, () => 'x')));
    expect(issues).toHaveLength(100);
    expect(issues[0]).toContain('199, …');
  });
});
