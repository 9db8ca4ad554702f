import { expect, it } from 'vitest';
import { append, Draft, set } from './change.js';

const items = (count: number) => Array.from({ length: count }, () => ({ n: 0 }));

/** Alternately changes an item of a list and a node beside the list, so that each change leaves the path of the previous change. */
function changeInTurn(length: number, times: number) {
  const state = { log: { list: items(length), turn: { step: { n: 0 } } } };
  const draft = new Draft(state);
  draft.apply([append(['log', 'list'], { n: 0 })]);
  const { list } = draft.current.log;
  for (let time = 1; time <= times; time++)
    draft.apply([set(['log', 'list', time % length, 'n'], time), set(['log', 'turn', 'step', 'n'], time)]);
  return { state, draft, list };
}

it('after thousands of changes on different paths the new state has all of them, and the first state is unchanged', () => {
  const { state, draft } = changeInTurn(300, 6_000);
  const { list, turn } = draft.take('log');
  expect(list.map(({ n }) => n)).toEqual([
    ...Array.from({ length: 300 }, (_, index) => 5_700 + (index || 300)),
    0,
  ]);
  expect(turn.step.n).toBe(6_000);
  expect(state.log).toEqual({ list: items(300), turn: { step: { n: 0 } } });
});

it('a long list is changed in place until a reader takes it, no matter how many other nodes were changed', () => {
  const { draft, list } = changeInTurn(300, 6_000);
  expect(draft.current.log.list).toBe(list);
});

it('a field that a reader has taken stays unchanged after thousands of changes', () => {
  const { draft } = changeInTurn(10, 1_000);
  const taken = draft.take('log');
  const copy = structuredClone(taken);
  for (let time = 0; time < 1_000; time++)
    draft.apply([set(['log', 'list', time % 10, 'n'], -1), append(['log', 'list'], { n: -2 })]);
  expect(taken).toEqual(copy);
});
