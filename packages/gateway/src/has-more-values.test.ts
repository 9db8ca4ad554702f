import { expect, test } from 'vitest';
import { hasMoreValues } from './has-more-values.js';

test.each([
  ['[1,2,3]', 3],
  ['{"a":[],"b":{}}', 4],
  ['{"a,[{\\"":"\\\\","b":"\\\\\\",[{"}', 2],
])('%s has no more values than %i, and more than one less', (json, count) => {
  expect([hasMoreValues(json, count), hasMoreValues(json, count - 1)]).toEqual([false, true]);
});
