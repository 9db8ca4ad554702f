import fc from 'fast-check';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { isPlainJson } from './plain-json.js';
import { propertyRun } from '../../../../test/kit/property-run.js';

const timeout = 60_000;
const withoutProtoKeys = (value: unknown): boolean => !JSON.stringify(value).includes('"__proto__"');

test('the copy of JSON is equal to it and shares nothing with it', { timeout }, () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }).filter(withoutProtoKeys), (value) => {
      const copy = jsonCopy(value);
      expect(isDeepStrictEqual(copy, value)).toBe(true);
      expect(sharesWith(copy, value)).toBe(false);
    }),
    propertyRun('JSON copy, values', 1_000),
  );
});

test('any value is copied as by JSON text, or refused with a reason', { timeout }, () => {
  const anything = fc.anything({
    maxDepth: 4,
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
    withNullPrototype: true,
    withUnicodeString: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      let copy: unknown;
      try {
        copy = jsonCopy(value);
      } catch (error) {
        expect((error as Error).message).toMatch(/^(?:it|its field .*) is .+/s);
        return;
      }
      expect(isPlainJson(copy)).toBe(true);
      expect(isDeepStrictEqual(JSON.parse(JSON.stringify(copy)), JSON.parse(JSON.stringify(value)))).toBe(
        true,
      );
    }),
    propertyRun('JSON copy, anything', 1_000),
  );
});

test('a cycle and endless nesting are refused', { timeout }, () => {
  fc.assert(
    fc.property(
      fc.array(fc.string(), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 3_000 }),
      (keys, depth) => {
        const safe = keys.map((key) => `k${key}`);
        const root: Record<string, unknown> = {};
        let node = root;
        for (const key of safe.slice(0, -1)) node = node[key] = {};
        node[safe.at(-1)!] = root;
        expect(() => jsonCopy(root)).toThrow('a reference to something that contains it');

        let deep: unknown = 1;
        for (let i = 0; i < depth; i++) deep = [deep];
        if (depth <= 200) expect(jsonCopy(deep)).toEqual(deep);
        else expect(() => jsonCopy(deep)).toThrow('nested too deeply');
      },
    ),
    propertyRun('JSON copy, cycles', 100),
  );
});

test('a deeply frozen value cannot be changed anywhere', { timeout }, () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const before = JSON.stringify(value);
      expect(deepFreeze(value)).toBe(value);
      const visit = (inner: unknown): void => {
        if (typeof inner !== 'object' || inner === null) return;
        expect(Object.isFrozen(inner)).toBe(true);
        Object.values(inner).forEach(visit);
      };
      visit(value);
      expect(JSON.stringify(value)).toBe(before);
    }),
    propertyRun('deep freeze', 1_000),
  );
});

function sharesWith(copy: unknown, original: unknown): boolean {
  if (typeof copy !== 'object' || copy === null) return false;
  if (copy === original) return true;
  return Object.entries(copy).some(([key, inner]) =>
    sharesWith(inner, (original as Record<string, unknown>)[key]),
  );
}
