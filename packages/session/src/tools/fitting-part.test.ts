import type { JsonObject, JsonValue } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { fittingPart } from './fitting-part.js';

const text = { type: 'string' };
const card: JsonObject = {
  type: 'object',
  properties: { title: text, size: { type: 'integer' }, tags: { type: 'array', items: text } },
};

describe('the fitting part of a value', () => {
  test.each<[string, JsonValue | undefined, JsonValue]>([
    ['a text', text, 'Pla'],
    ['an empty text', text, ''],
    ['a whole number', { type: 'integer' }, 2],
    ['a number', { type: 'number' }, 2.5],
    ['false', { type: 'boolean' }, false],
    ['null', { type: 'null' }, null],
    ['a list', { type: 'array' }, [1]],
    ['half an object', card, { title: 'Pla' }],
    ['a field that the schema does not name', card, { colour: 1 }],
    ['a field that every object has', card, JSON.parse('{"constructor": 1, "__proto__": 2}') as JsonValue],
    ['one of several types', { type: ['string', 'null'] }, null],
    ['the second alternative', { anyOf: [text, { type: 'null' }] }, null],
    [
      'the second alternative of oneOf',
      { oneOf: [card, { properties: { title: { type: 'number' } } }] },
      { title: 1 },
    ],
    ['a value without a schema', undefined, 1],
    ['a value of the schema true', true, 1],
    ['a value below a $ref', { $ref: '#/$defs/card' }, 1],
    ['a value of an unknown type', { type: 'card' }, 1],
    ['a tuple', { type: 'array', prefixItems: [text, { type: 'number' }], items: text }, ['a', 1, 'b']],
    [
      'a field that a pattern names',
      { patternProperties: { '^n': {} }, additionalProperties: text },
      { n: 1 },
    ],
  ])('is the whole value: %s', (_name, schema, value) => {
    expect(fittingPart(schema, value)).toBe(value);
  });

  test.each<[string, JsonValue, JsonValue]>([
    ['a number where a text is', text, 1],
    ['a text where a number is', { type: 'number' }, '1'],
    ['a fraction where a whole number is', { type: 'integer' }, 1.5],
    ['null where an object is', card, null],
    ['a list where an object is', card, []],
    ['an object where a list is', { type: 'array' }, {}],
    ['a value that is not null', { type: 'null' }, 0],
    ['one of none of the types', { type: ['string', 'null'] }, 1],
    ['one of no alternative', { anyOf: [text, { type: 'null' }] }, 1],
  ])('is nothing: %s', (_name, schema, value) => {
    expect(fittingPart(schema, value)).toBe(undefined);
  });

  test.each<[string, JsonValue, JsonValue, JsonValue]>([
    ['a field', card, { title: 1, size: 2 }, { size: 2 }],
    ['an item of a list', card, { tags: ['a', 1, 'b'] }, { tags: ['a', 'b'] }],
    ['an item of a tuple', { prefixItems: [text], items: { type: 'number' } }, ['a', 'b', 1], ['a', 1]],
    ['a field of a map', { additionalProperties: text }, { a: 1, b: 'c' }, { b: 'c' }],
    ['a field of an alternative', { anyOf: [text, card] }, { title: 1, size: 2 }, { size: 2 }],
    ['a field deep inside', { properties: { card } }, { card: { title: 1 }, n: 1 }, { card: {}, n: 1 }],
  ])('lacks the parts that contradict the schema: %s', (_name, schema, value, part) => {
    expect(fittingPart(schema, value)).toEqual(part);
  });
});
