import { expect, it } from 'vitest';
import type { ToolCallView, TurnRecord } from '../conversation/turn-record.js';
import { effectPlaces, inEffectOrder } from './effect-order.js';
import type { FoldState } from './session-state.js';

function call(id: string): ToolCallView {
  return { type: 'tool-call', id, tool: 'board.add', index: 0, state: 'settled', argumentsText: '{}' };
}

function stateOf(...rounds: readonly (readonly string[])[]): FoldState {
  const liveTurn: Pick<TurnRecord, 'id' | 'rounds'> = {
    id: 'turn_1',
    rounds: rounds.map((ids) => ({ parts: [{ type: 'text', text: 'So.' }, ...ids.map(call)] })),
  };
  return { liveTurn, turns: [], fold: { aside: [] } } as unknown as FoldState;
}

it('the effects of a turn stand in the order of its calls, also while the turn gets more of them', () => {
  let state = stateOf(['a', 'b']);
  const placeOf = effectPlaces(() => state, 'turn_1');
  expect(['b', 'a', 'c'].map(placeOf)).toEqual([1, 0, -1]);

  state = stateOf(['a', 'b', 'c'], ['d'], ['e', 'f']);
  expect(['f', 'c', 'd', 'b', 'e'].map(placeOf)).toEqual([5, 2, 3, 1, 4]);
});

it('in a turn with child turns the effects stand in the order of the first effects, after the places that calls have already', () => {
  const child = { rounds: [{ parts: [call('c1'), call('c2')] }] };
  let state = stateOf(['read', 'a'], ['work', 'b']);
  const placeOf = effectPlaces(() => state, 'turn_1');
  expect(placeOf('a')).toBe(1);

  const work = { ...call('work'), children: [child] } as unknown as ToolCallView;
  const calls = ['a', 'c2', 'b', 'c1'].map((callId) => ({ callId }));
  state = {
    liveTurn: { id: 'turn_1', rounds: [{ parts: ['read', 'a'].map(call) }, { parts: [work, call('b')] }] },
    turns: [],
    fold: { aside: [], undo: [], turn: { undo: { turnId: 'turn_1', undo: { calls } } } },
  } as unknown as FoldState;
  expect(['c1', 'b', 'c2', 'read'].map(placeOf)).toEqual([7, 6, 5, -1]);
});

it('effects of a turn that has ended and left the state have no place', () => {
  expect(effectPlaces(() => stateOf(['a']), 'turn_2')('a')).toBe(-1);
});

it('items stand in the order of the effects', () => {
  const items = [{ of: 'c' }, { of: 'a' }, { of: 'b' }];
  expect(inEffectOrder(stateOf(['a', 'b'], ['c']), 'turn_1', items, (item) => item.of)).toEqual([
    { of: 'a' },
    { of: 'b' },
    { of: 'c' },
  ]);
});
