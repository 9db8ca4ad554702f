import type { JsonObject } from '@banister/provider';
import { describe, expect, it } from 'vitest';
import { closedSchema } from './closed-schema.js';

const nullable = { optional: 'nullable', recursive: true } as const;
const kept = { optional: 'kept', recursive: false } as const;
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

describe('a closed schema', () => {
  it('optional properties may be null in a strict schema', () => {
    const given = object(
      {
        a: { type: 'string' },
        b: { type: 'number' },
        c: { enum: ['x'] },
        d: object({ e: { type: 'boolean' } }),
      },
      { required: ['a'] },
    );
    expect(closedSchema(given, nullable)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: ['number', 'null'] },
        c: { anyOf: [{ type: 'string', enum: ['x'] }, { type: 'null' }] },
        d: {
          anyOf: [
            {
              type: 'object',
              properties: { e: { type: ['boolean', 'null'] } },
              required: ['e'],
              additionalProperties: false,
            },
            { type: 'null' },
          ],
        },
      },
      required: ['a', 'b', 'c', 'd'],
      additionalProperties: false,
    });
  });

  it('keeps optional properties if the API knows them', () => {
    const given = object({ a: { type: 'string' }, b: { type: 'number' } }, { required: ['a'] });
    expect(closedSchema(given, kept)).toEqual({ ...given, additionalProperties: false });
  });

  it('moves keywords that only narrow a value to the description', () => {
    const given = object({ a: { type: 'string', description: 'A name.', minLength: 2, pattern: '^x' } });
    expect(closedSchema(given, kept)?.['properties']).toEqual({
      a: { type: 'string', description: 'A name. (pattern: "^x", minLength: 2)' },
    });
  });

  it('keeps definitions, lists and alternatives', () => {
    const given = object(
      {
        list: { type: 'array', items: { $ref: '#/$defs/one' } },
        two: { oneOf: [{ const: 1 }, { type: 'null' }] },
      },
      { required: ['list', 'two'], $defs: { one: object({ a: { type: 'string' } }, { required: ['a'] }) } },
    );
    expect(closedSchema(given, nullable)).toEqual({
      ...object({
        list: { type: 'array', items: { $ref: '#/$defs/one' } },
        two: { anyOf: [{ type: 'number', const: 1 }, { type: 'null' }] },
      }),
      required: ['list', 'two'],
      additionalProperties: false,
      $defs: {
        one: { ...object({ a: { type: 'string' } }), required: ['a'], additionalProperties: false },
      },
    });
  });

  const recursive = object(
    { next: { $ref: '#/$defs/node' } },
    { $defs: { node: object({ next: { $ref: '#/$defs/node' } }) } },
  );
  it('may be recursive only if the API permits recursion', () => {
    expect(closedSchema(recursive, nullable)).not.toBeNull();
    expect(closedSchema(recursive, kept)).toBeNull();
    expect(closedSchema(object({ self: { $ref: '#' } }), kept)).toBeNull();
  });

  it.each<readonly [string, JsonObject]>([
    ['a map', object({ a: { type: 'object', additionalProperties: { type: 'string' } } })],
    ['an object of any properties', object({ a: { type: 'object' } })],
    ['a value of any type', object({ a: {} })],
    ['a list of anything', object({ a: { type: 'array' } })],
    ['a tuple', object({ a: { type: 'array', prefixItems: [{ type: 'string' }] } })],
    ['an unknown keyword', object({ a: { not: { type: 'string' } } })],
    ['a reference to another document', object({ a: { $ref: 'https://example.com/a' } })],
    ['a required property that is not described', object({ a: { type: 'string' } }, { required: ['b'] })],
    ['alternatives at the root', { ...object({ a: { type: 'string' } }), anyOf: [] }],
    ['a root that is no object', { type: 'string' }],
  ])('does not exist for %s', (_name, given) => {
    expect(closedSchema(given, kept)).toBeNull();
    expect(closedSchema(given, nullable)).toBeNull();
  });

  it('does not exist if it is nested deeper than the API accepts', () => {
    const given = object({ a: object({ b: object({ c: { type: 'string' } }) }) });
    expect(closedSchema(given, { ...nullable, maxDepth: 4 })).not.toBeNull();
    expect(closedSchema(given, { ...nullable, maxDepth: 3 })).toBeNull();
  });
});
