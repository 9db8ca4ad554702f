import fc from 'fast-check';
import { strictParse, type JsonValue } from '@banister/provider';
import { canonicalJson } from '@banister/provider/internal/json/json';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { hasInfinity, jsonTexts } from './json-documents.js';
import { propertyRun } from '../../../../test/kit/property-run.js';

const timeout = 60_000;

test('strict JSON parses to the value that JSON.parse returns', { timeout }, () => {
  fc.assert(
    fc.property(jsonTexts, (text) => {
      const value = JSON.parse(text) as JsonValue;
      const result = strictParse(text);
      if (hasProtoKey(value)) expect(result.ok).toBe(false);
      else if (!result.ok || !isDeepStrictEqual(result.value, value)) throw new Error(JSON.stringify(result));
    }),
    propertyRun('strict parse, documents', 1_500),
  );
});

test('any text is parsed or refused with a message; the parser never throws', { timeout }, () => {
  const noise = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(jsonTexts, fc.nat(300)).map(([text, length]) => text.slice(0, length)),
  );
  fc.assert(
    fc.property(noise, (text) => {
      const result = strictParse(text);
      if (result.ok) expect(hasProtoKey(result.value) || hasInfinity(result.value)).toBe(false);
      else expect(result.message.length).toBeGreaterThan(5);
      // A text that JSON.parse accepts is refused for two reasons only.
      if (result.ok || !parses(text)) return;
      const value = JSON.parse(text) as JsonValue;
      expect(hasProtoKey(value) || hasInfinity(value)).toBe(true);
    }),
    propertyRun('strict parse, noise', 1_500),
  );
});

test('a number that is read as Infinity is refused, at any depth', { timeout }, () => {
  const wrap = (text: string, isArray: boolean) => (isArray ? `[1,${text}]` : `{"a":${text}}`);
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 60 }),
      fc.constantFrom('1e400', '-1e309'),
      (levels, one) => {
        expect(strictParse(levels.reduce(wrap, one)).ok).toBe(false);
        expect(strictParse(levels.reduce(wrap, '1e308')).ok).toBe(true);
      },
    ),
    propertyRun('strict parse, Infinity', 300),
  );
});

test('the key __proto__ is refused in any escape, at any depth', { timeout }, () => {
  const spelling = fc
    .array(fc.boolean(), { minLength: 9, maxLength: 9 })
    .map((escaped) =>
      [...'__proto__']
        .map((char, index) =>
          escaped[index] ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char,
        )
        .join(''),
    );
  fc.assert(
    fc.property(spelling, jsonTexts, fc.nat(20), (key, inner, depth) => {
      const text = `${'{"a":['.repeat(depth)}{"${key}":${inner}}${']}'.repeat(depth)}`;
      expect(strictParse(text).ok).toBe(false);
      // As a value it is a text like any other.
      expect(strictParse(`{"a":"${key}"}`).ok).toBe(true);
    }),
    propertyRun('strict parse, __proto__', 1_000),
  );
});

test('nesting counts outside of strings only', { timeout }, () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100 }), fc.string(), (depth, text) => {
      const nested = `${'['.repeat(depth)}${JSON.stringify(`[[[${text}{{{`)}${']'.repeat(depth)}`;
      expect(strictParse(nested).ok).toBe(depth <= 64);
    }),
    propertyRun('strict parse, nesting', 500),
  );
});

test('canonical JSON is the same for equal values, and only for those', { timeout }, () => {
  const values = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
  fc.assert(
    fc.property(values, values, fc.integer(), (one, other, seed) => {
      expect(canonicalJson(shuffled(one, seed))).toBe(canonicalJson(one));
      const same = isDeepStrictEqual(normal(one), normal(other));
      expect(canonicalJson(one) === canonicalJson(other)).toBe(same);
      expect(isDeepStrictEqual(JSON.parse(canonicalJson(one)), normal(one))).toBe(true);
    }),
    propertyRun('canonical JSON', 1_500),
  );
});

/** The value as JSON text holds it: without the minus of a zero. */
function normal(value: JsonValue): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** The same value, its keys in another order. */
function shuffled(value: JsonValue, seed: number): JsonValue {
  if (Array.isArray(value)) return (value as JsonValue[]).map((item) => shuffled(item, seed));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Record<string, JsonValue>).map(
    ([key, inner]) => [key, shuffled(inner, seed)] as const,
  );
  const turned = seed % 2 === 0 ? entries.reverse() : [...entries.slice(1), ...entries.slice(0, 1)];
  return Object.fromEntries(turned);
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function hasProtoKey(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key === '__proto__' || hasProtoKey(inner as JsonValue));
}
