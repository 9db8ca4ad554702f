import type { Operation, SessionState } from '@banister/session';
import { apply, fromStored, initialState, toStored } from '@banister/session/operations';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { operationLogs } from './operation-grammar.js';

/** Cuts a log into records. */
function recordsOf(log: readonly Operation[], cuts: readonly number[]): readonly (readonly Operation[])[] {
  const places = [...new Set(cuts.map((cut) => cut % (log.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((place, index) => log.slice(place, places[index]));
}

/** Stores records through JSON, reads them again, and returns their operations and the state after them. */
function reread(records: readonly (readonly Operation[])[]) {
  let state: SessionState = initialState();
  const operations: Operation[] = [];
  for (const record of records) {
    const stored = JSON.parse(JSON.stringify({ operations: toStored(record) })) as {
      operations: Operation[];
    };
    const read = fromStored(state, stored);
    operations.push(...read);
    state = read.reduce(apply, state);
  }
  return { state, operations };
}

const cuts = fc.array(fc.nat(500), { maxLength: 20 });

describe('the stored form of any log', { timeout: 120_000 }, () => {
  test('folds to the same state, wherever the log is cut into records', () => {
    fc.assert(
      fc.property(operationLogs, cuts, (log, places) => {
        const { state } = reread(recordsOf(log, places));
        const expected = log.reduce(apply, initialState());
        if (!isDeepStrictEqual(state, expected)) expect(state).toEqual(expected);
      }),
      propertyRun('stored form, fold', 200),
    );
  });

  test('keeps operations and fields of later releases', () => {
    const field = fc.tuple(fc.constantFrom('more', 'later'), fc.jsonValue());
    fc.assert(
      fc.property(operationLogs, field, fc.nat(500), (log, [name, value], place) => {
        const known = new Set(['text', 'messages', 'request']);
        const later = log.map((one, index) =>
          index === place % log.length ? { ...one, [name]: value } : one,
        );
        const stored = toStored(later as readonly Operation[]);
        const marked = stored.filter((one) => name in one);
        expect(marked).toHaveLength(1);
        const given = Object.entries(later[place % log.length]!).filter(([key]) => !known.has(key));
        expect(marked[0]).toMatchObject(Object.fromEntries(given));
        const stranger = { type: 'later', sequence: 1, at: 1, text: 'x' } as unknown as Operation;
        expect(toStored([stranger])).toEqual([stranger]);
      }),
      propertyRun('stored form, later fields', 100),
    );
  });
});
