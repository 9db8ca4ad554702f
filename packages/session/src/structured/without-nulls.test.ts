import type { JsonObject, JsonValue } from '@banister/provider';
import { describe, expect, it } from 'vitest';
import { withoutNulls } from './without-nulls.js';

const note: JsonObject = { properties: { note: { type: 'string' } } };

/** Returns true if the null of an optional property `note` is left out, when the schema `at` describes the object. */
function isLeftOut(at: JsonObject, root: JsonObject = {}): boolean {
  const { value } = withoutNulls({ ...root, properties: { value: at } }, { value: { note: null } });
  return !Object.hasOwn(value as JsonObject, 'note');
}

/** Returns definitions that refer to each other: `a1` refers to `a2`, and so on. The last of them describes `note`. */
function chained(references: number): JsonObject {
  const $defs: Record<string, JsonValue> = { [`a${references}`]: note };
  for (let index = 1; index < references; index++) $defs[`a${index}`] = { $ref: `#/$defs/a${index + 1}` };
  return { $defs };
}

describe('an optional property that is null', () => {
  it.each<[string, JsonObject, JsonObject?]>([
    ['a schema', note],
    ['a part of all', { allOf: [{}, note] }],
    ['an alternative', { anyOf: [note] }],
    ['a definition', { $ref: '#/$defs/a/b~1c~0d%20e' }, { $defs: { a: { 'b/c~d e': note } } }],
  ])('is left out if %s describes it', (_name, at, root) => {
    expect(isLeftOut(at, root)).toBe(true);
  });

  it('is left out if the whole schema describes it, by a reference to itself', () => {
    const schema = { properties: { inner: { $ref: '#' }, note: { type: 'string' } } };
    expect(withoutNulls(schema, { note: null, inner: { note: null, inner: {} } })).toEqual({
      inner: { inner: {} },
    });
  });

  it.each<[string, JsonObject, JsonObject?]>([
    ['nothing describes it', {}],
    ['it is required', { ...note, required: ['note'] }],
    ['a reference leads out of the document', { $ref: 'https://example.org/#/properties/value' }],
    ['a reference names an anchor', { $ref: '#value' }, { allOf: [note] }],
    ['a reference leads nowhere', { $ref: '#/$defs/gone/note' }],
    ['a reference leads to something inherited', { $ref: '#/constructor/prototype' }],
  ])('stays if %s', (_name, at, root) => {
    expect(isLeftOut(at, root)).toBe(false);
  });

  it('is left out after a chain of eight references, and stays after a longer chain', () => {
    expect(isLeftOut({ $ref: '#/$defs/a1' }, chained(8))).toBe(true);
    expect(isLeftOut({ $ref: '#/$defs/a1' }, chained(9))).toBe(false);
  });

  it('is left out of list items, and of properties that only `additionalProperties` describes', () => {
    const schema = {
      additionalProperties: note,
      properties: { list: { prefixItems: [{ required: ['note'], ...note }], items: note } },
    };
    expect(withoutNulls(schema, { list: [{ note: null }, { note: null }], other: { note: null } })).toEqual({
      list: [{ note: null }, {}],
      other: {},
    });
  });
});

describe('an alternative that does not fit the value describes nothing', () => {
  /** Whether the null of `note` is left out, next to a property `kind`. */
  const by = (alternative: JsonObject, kind: JsonValue) => {
    const schema = { properties: { value: { oneOf: [{ ...note, ...alternative }] } } };
    const { value } = withoutNulls(schema, { value: { kind, note: null } });
    return Object.hasOwn(value as JsonObject, 'note') ? 'stays' : 'is left out';
  };
  const kindIs = (kind: JsonObject): JsonObject => ({
    properties: { note: { type: 'string' }, kind },
  });

  it.each<[JsonObject, JsonValue, string]>([
    [{ type: 'object' }, 'a', 'is left out'],
    [{ type: ['array', 'object'] }, 'a', 'is left out'],
    [{ type: 'array' }, 'a', 'stays'],
    [{ const: { kind: 'a', note: null } }, 'a', 'is left out'],
    [{ const: { kind: 'b', note: null } }, 'a', 'stays'],
    [{ enum: [{ kind: 'b' }, { kind: 'a', note: null }] }, 'a', 'is left out'],
    [{ enum: [{ kind: 'b' }] }, 'a', 'stays'],
    [{ required: ['kind'] }, 'a', 'is left out'],
    [{ required: ['size'] }, 'a', 'stays'],
    [kindIs({ const: 'a' }), 'a', 'is left out'],
    [kindIs({ const: 'b' }), 'a', 'stays'],
    [kindIs({ enum: ['a', 'b'] }), 'a', 'is left out'],
    [kindIs({ enum: ['b', 'c'] }), 'a', 'stays'],
    [kindIs({ enum: ['b', 'c'] }), null, 'is left out'],
    [{ properties: { note: { type: 'string' }, other: { const: 'x' } } }, 'a', 'is left out'],
  ])('with %j and a kind %j, the note %s', (alternative, kind, outcome) => {
    expect(by(alternative, kind)).toBe(outcome);
  });
});
