import { deepFreeze } from '@banister/provider/internal/json/json';
import type { Operation, SessionState } from '@banister/session';
import { apply, fold, initialState } from '@banister/session/operations';
import { validateHistory } from '@banister/testing';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { StateStore } from '../../src/state/state-store.js';
import { firstStates, operationLogs } from './operation-grammar.js';
import { propertyRun } from '../../../../test/kit/property-run.js';

const fields = (state: SessionState) => Object.keys(state) as (keyof SessionState)[];

/** Fields that views follow by identity. */
const keepsIdentity: ReadonlySet<keyof SessionState> = new Set([
  'turns',
  'conversation',
  'activeToolCalls',
  'pendingConfirmations',
  'undoEntries',
]);

/** The states after each operation, the first one included. */
function statesOf(first: SessionState, log: readonly Operation[]): readonly SessionState[] {
  const states = [first];
  for (const operation of log) states.push(apply(states.at(-1)!, operation));
  return states;
}

/** Items of a list stay the same objects, but for those that the operation is about. */
function expectShared<T extends { readonly id: string }>(
  before: readonly T[],
  after: readonly T[],
  operation: Operation,
): void {
  const target = 'target' in operation ? operation.target : undefined;
  // Items leave a list only when the head moves.
  const moves = operation.type === 'headMoved' || operation.type === 'pathCleared';
  const known = moves ? new Map(after.map((item) => [item.id, item])) : null;
  before.forEach((item, index) => {
    const same = known === null ? after[index] : (known.get(item.id) ?? item);
    if (same !== item && item.id !== target) throw new Error(`${operation.type} replaces ${item.id}`);
  });
}

function expectSame(actual: unknown, expected: unknown): void {
  // Cheaper than vitest's comparison, which would take most of the time here.
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

describe('the fold of any log', { timeout: 120_000 }, () => {
  test('`fold` of a list gives the state of `apply` with one operation after the other', () => {
    fc.assert(
      fc.property(firstStates, operationLogs, fc.nat(500), (first, log, place) => {
        const states = statesOf(first, log);
        expectSame(fold(first, log), states.at(-1));
        const middle = place % states.length;
        expectSame(fold(states[middle]!, log.slice(middle)), states.at(-1));
        states.forEach(({ sequence }, index) => expect(sequence).toBe(log[index - 1]?.sequence ?? 0));
      }),
      propertyRun('fold, whole list', 150),
    );
  });

  test('changes neither the state nor the operation that it is given', () => {
    fc.assert(
      fc.property(firstStates, operationLogs, (first, log) => {
        // A write to a frozen value throws.
        let state = deepFreeze(structuredClone(first));
        for (const operation of log) state = deepFreeze(apply(state, deepFreeze(structuredClone(operation))));
        expectSame(state, statesOf(first, log).at(-1));
      }),
      propertyRun('fold, pure', 150),
    );
  });

  test('gives the same state live, replayed and from JSON, for every prefix', () => {
    fc.assert(
      fc.property(firstStates, operationLogs, fc.nat(500), (first, log, length) => {
        const prefix = log.slice(0, length % (log.length + 1));
        const live = statesOf(first, prefix).at(-1)!;
        const copy = JSON.parse(JSON.stringify({ first, prefix })) as {
          first: SessionState;
          prefix: Operation[];
        };
        const replayed = statesOf(copy.first, copy.prefix).at(-1)!;
        expectSame(replayed, live);
        expectSame(JSON.parse(JSON.stringify(live)), live);
        // A state that was saved in the middle folds on to the same states as one that was not.
        const rest = log.slice(prefix.length);
        const resumed = JSON.parse(JSON.stringify(live)) as SessionState;
        expectSame(statesOf(resumed, rest).at(-1), statesOf(live, rest).at(-1));
      }),
      propertyRun('fold, replay', 150),
    );
  });

  test('holds a history that every provider accepts after each operation', () => {
    fc.assert(
      fc.property(firstStates, operationLogs, (first, log) => {
        let messages: unknown;
        for (const { conversation } of statesOf(first, log)) {
          if (conversation.messages === messages) continue;
          messages = conversation.messages;
          expect(validateHistory(conversation.messages)).toEqual([]);
        }
      }),
      propertyRun('fold, history', 150),
    );
  });

  test('operations of unknown types are counted, and change nothing', () => {
    const stranger = fc.record({
      type: fc.constantFrom('branched', 'merged', 'toString', '__proto__', 'constructor'),
      data: fc.jsonValue(),
    });
    fc.assert(
      fc.property(operationLogs, stranger, fc.nat(500), (log, unknown, place) => {
        const states = statesOf(initialState(), log);
        const state = states[place % states.length]!;
        const sequence = state.sequence + 1;
        const after = apply(state, { ...unknown, sequence, at: 1 } as unknown as Operation);
        expectSame(after, { ...state, sequence });
      }),
      propertyRun('fold, unknown types', 150),
    );
  });

  test('keeps the identity of everything that an operation does not touch', () => {
    fc.assert(
      fc.property(firstStates, operationLogs, (first, log) => {
        const states = statesOf(first, log);
        log.forEach((operation, index) => {
          // An operation may carry values that the record has already.
          const isAboutARecord = 'target' in operation;
          const [before, after] = [states[index]!, states[index + 1]!];
          for (const field of fields(before)) {
            if (isAboutARecord || !keepsIdentity.has(field) || before[field] === after[field]) continue;
            if (isDeepStrictEqual(before[field], after[field]))
              throw new Error(`${operation.type} replaces ${field} by an equal one`);
          }
          expectShared(before.conversation.messages, after.conversation.messages, operation);
          expectShared(before.turns, after.turns, operation);
        });
      }),
      propertyRun('fold, sharing', 150),
    );
  });

  test('writing in place gives the states of the pure fold, and no snapshot ever changes', () => {
    fc.assert(
      fc.property(
        firstStates,
        operationLogs,
        fc.array(fc.nat(7), { minLength: 1, maxLength: 30 }),
        (first, log, taken) => {
          const store = new StateStore(first);
          const kept: { readonly value: unknown; readonly text: string }[] = [];
          const keep = (value: unknown) => kept.push({ value, text: JSON.stringify(value) ?? '' });
          let state = first;
          log.forEach((operation, index) => {
            state = apply(state, operation);
            store.apply(operation);
            // A reader takes the whole state at times, a signal one field, and mostly nothing is read.
            const choice = taken[index % taken.length]!;
            if (choice === 0) {
              expectSame(store.snapshot(), state);
              keep(store.snapshot());
            } else if (choice === 1) {
              for (const field of store.takeChanged()) {
                expectSame(store.take(field), state[field]);
                keep(store.take(field));
              }
            } else if (choice === 2) keep(store.take('liveTurn'));
            else if (choice === 3) keep(store.take('activeToolCalls'));
          });
          expectSame(store.snapshot(), state);
          for (const { value, text } of kept) expect(JSON.stringify(value) ?? '').toBe(text);
        },
      ),
      propertyRun('fold, in place', 200),
    );
  });

  test('the fields that a fold reports as changed are exactly those that changed', () => {
    fc.assert(
      fc.property(operationLogs, (log) => {
        const store = new StateStore(initialState());
        for (const operation of log) {
          const before = store.snapshot();
          store.apply(operation);
          const changed = new Set(store.takeChanged());
          const after = store.snapshot();
          const silent = fields(before).filter(
            (field) => field !== 'fold' && before[field] !== after[field] && !changed.has(field),
          );
          expect(silent).toEqual([]);
        }
      }),
      propertyRun('fold, changed fields', 150),
    );
  });
});
