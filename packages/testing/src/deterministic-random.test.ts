import { expect, test } from 'vitest';
import { createDeterministicRandom } from './deterministic-random.js';

const numbers = (seed?: number) => Array.from({ length: 1_000 }, createDeterministicRandom(seed));

test('the same seed gives the same numbers, another seed gives others', () => {
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(7)).not.toEqual(numbers(8));
  expect(numbers()).toEqual(numbers(1));
});

test('numbers lie in [0, 1), spread evenly', () => {
  const all = numbers(42);
  expect(all.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(all.reduce((sum, number) => sum + number, 0) / all.length).toBeCloseTo(0.5, 1);
  expect(new Set(all).size).toBe(all.length);
});
