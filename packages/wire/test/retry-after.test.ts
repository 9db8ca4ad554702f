import { expect, test } from 'vitest';
import { retryAfter } from '../src/retry-after.js';

const now = Date.UTC(2026, 10, 26);

test.each([
  ['seconds', { 'retry-after': '2' }, 2_000],
  ['a Unix time in seconds', { 'retry-after': String(now / 1_000 + 2) }, 2_000],
  ['a Unix time in milliseconds', { 'retry-after': String(now + 2_000) }, 2_000],
  ['a Unix time in retry-after-ms', { 'retry-after-ms': String(now + 2_000) }, 2_000],
  ['a day in seconds', { 'retry-after': '86400' }, 86_400_000],
  ['a Unix time that is over', { 'retry-after': String(now / 1_000 - 2) }, undefined],
])('audit-R12 %s is read as the wait that it means', (_name, headers, expected) => {
  expect(retryAfter(new Headers(headers), now)).toBe(expected);
});
