import type { ToolCallView } from '@banister/session';
import { expect, test } from 'vitest';
import { boardMarks } from './board-marks.js';
import { firstBoard } from './first-board.js';
import { BoardStore } from './board-store.js';

const adds = ['one', 'two'].map(
  (id) =>
    ({
      id,
      tool: 'board.add_card',
      arguments: { column: 'Todo', title: id },
      state: 'assembling',
    }) as unknown as ToolCallView,
);

const wordsWhile = (...written: string[]) => {
  const columns = new BoardStore(firstBoard).columns.peek();
  const none = { asked: [], approved: [], open: null, traces: new Map() };
  const marks = boardMarks({ ...none, calls: adds, written, columns });
  return marks.effects.map((effect) => `${effect.stage}: ${marks.markOfEffect(effect).words}`);
};

test('a card whose call is complete is shown as ready while the next call is written, like its step in the chat', () => {
  expect(wordsWhile('two')).toEqual(['waiting: Ready', 'assembling: Writing']);
  expect(wordsWhile()).toEqual(['waiting: Ready', 'waiting: Ready']);
});
