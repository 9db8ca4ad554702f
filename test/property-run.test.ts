import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { failureText, propertyRun } from './kit/property-run.js';
import { propertySeed, propertySettings, tierOf } from './kit/property-seed.js';

test('the seed of the day is the day in UTC', () => {
  expect(propertySeed(undefined, new Date('2026-11-22T23:59:59Z'))).toBe(20_261_122);
  expect(propertySeed('', new Date('2027-01-01T00:00:00Z'))).toBe(20_270_101);
});

test('PROPERTY_SEED overrides the seed of the day, and is a whole number', () => {
  expect(propertySeed('42', new Date())).toBe(42);
  expect(() => propertySeed('random', new Date())).toThrowError('got "random"');
});

test('the tier is quick unless BANISTER_TIER names the full one', () => {
  expect([tierOf(undefined), tierOf('quick'), tierOf('full')]).toEqual(['quick', 'quick', 'full']);
});

test('the variables of the environment that change how properties run are those of every project, in a browser too', () => {
  const given = { PROPERTY_RUNS: '7', PROPERTY_PATH: undefined, PROPERTY_SEED: '1' };
  expect(propertySettings(given)).toEqual({ PROPERTY_RUNS: '7' });
  expect(inject('propertySettings')).toEqual(propertySettings(process.env));
});

test('a property that fails prints the command that repeats its counterexample', () => {
  const isSmall = fc.property(fc.nat(), (one) => one < 10);
  const settings = propertyRun<[number]>('small', 1_000);
  const details = fc.check(isSmall, settings);
  const { seed, counterexamplePath } = details;
  expect(failureText('small', details)).toContain(
    `PROPERTY_SEED=${seed} PROPERTY_PATH=${counterexamplePath} npx vitest run ${import.meta.filename} ` +
      '-t "a property that fails prints the command that repeats its counterexample"',
  );
  expect(() => fc.assert(isSmall, settings)).toThrowError(/To repeat it: PROPERTY_SEED=\d+/);
  expect(() => fc.assert(isSmall, { ...settings, seed, path: counterexamplePath! })).toThrowError(
    'Counterexample: [10]',
  );
});
