import type { ChildTurn, TurnStatus, UndoItem } from '@banister/session';
import { expect, test } from 'vitest';
import { laneWords } from './lanes.js';

const item: UndoItem = { toolCallId: 'a', toolName: 'board.add_card', description: 'Added “One” to Todo' };
const effect = { ...item, irreversible: false };
const report = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };

function lane(child: Partial<ChildTurn>, circumstances = {}) {
  const base = { id: 'c', agent: 'checks', outcome: null, phase: 'executing', effects: [], rounds: [] };
  const { state, status, canStop } = laneWords({ ...base, ...child } as unknown as ChildTurn, {
    isAsking: false,
    isStill: false,
    ...circumstances,
  });
  return [state, status, canStop];
}

test('a lane says what its agent does', () => {
  expect(lane({})).toEqual(['running', 'Working', true]);
  expect(lane({}, { isAsking: true })).toEqual(['waiting', 'Asking', true]);
  expect(lane({ phase: 'cancelling' })).toEqual(['running', 'Stopping…', false]);
  expect(lane({}, { isStill: true })).toEqual(['interrupted', 'Interrupted', false]);
  expect(lane({}, { isStill: true, isAsking: true })).toEqual(['waiting', 'Asking', false]);
});

test('a lane says how its agent ended, and what became of its changes', () => {
  const ended = (status: TurnStatus, more: Partial<ChildTurn> = {}, of = report as object) =>
    lane({ status, outcome: { status, rounds: 1, usage: null, report: { ...report, ...of } }, ...more });
  const final = { ...effect, irreversible: true };
  expect(ended('completed')).toEqual(['read', 'Completed', false]);
  expect(ended('completed', { effects: [effect] })[1]).toBe('Completed · 1 change');
  expect(ended('completed', { effects: [effect, final] })[1]).toBe(
    'Completed · 1 change · 1 cannot be taken back',
  );
  expect(ended('stopped', { effects: [effect] })).toEqual(['done', 'Stopped early · 1 change', false]);
  expect(ended('cancelled', {}, { done: [item, item], lost: [item] })).toEqual([
    'undone',
    'Stopped · 2 taken back · 1 stays',
    false,
  ]);
  expect(ended('failed', {}, { done: [item] })).toEqual(['failed', 'Did not work · 1 taken back', false]);
});

test('a lane whose changes were all undone says so', () => {
  const call = { type: 'tool-call', id: 'a', reverted: true };
  const rounds = [{ parts: [call] }] as unknown as ChildTurn['rounds'];
  const outcome = { status: 'completed', rounds: 1, usage: null } as const;
  const child = { status: 'completed', outcome, rounds } as const;
  expect(lane({ ...child, effects: [effect] })).toEqual(['undone', 'Completed · taken back', false]);
  expect(lane({ ...child, effects: [effect, { ...effect, toolCallId: 'b' }] })[1]).toBe(
    'Completed · 2 changes',
  );
});

test('the name of an agent is shown safely, and is its id without a title', () => {
  const words = (child: Partial<ChildTurn>) =>
    laneWords({ outcome: null, effects: [], rounds: [], ...child } as unknown as ChildTurn, {
      isAsking: false,
      isStill: false,
    });
  expect(words({ agent: 'checks' })).toMatchObject({ title: 'checks', stopLabel: 'Stop checks' });
  expect(words({ agent: 'checks', title: 'Che\u202Ecks' }).title).not.toContain('\u202E');
});
