import { expect, test } from 'vitest';
import { readDays } from './read-day.js';

/** A Thursday. */
const now = new Date(2026, 10, 26, 10);

test.each([
  ['today', ['2026-11-26']],
  ['tomorrow', ['2026-11-27']],
  ['on Friday', ['2026-11-27']],
  ['this Friday', ['2026-11-27']],
  // Both days are possible.
  ['next Friday', ['2026-11-27', '2026-12-04']],
  ['Thursday', ['2026-11-26', '2026-12-03']],
  ['2026-12-24', ['2026-12-24']],
  ['2026-13-24', []],
  ['4 Dec', ['2026-12-04']],
  ['the 4th of December', ['2026-12-04']],
  ['January 5th', ['2027-01-05']],
  ['Sept 5', ['2027-09-05']],
  ['maybe 5', []],
  ['market 4', []],
  ['29 Feb', []],
  ['31 April', []],
  ['someday', []],
  ['Friday or Saturday', []],
])('“%s” may be %j', (text, days) => {
  expect(readDays(text, now)).toEqual(days);
});
