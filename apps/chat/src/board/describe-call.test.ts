import { expect, test } from 'vitest';
import { BoardStore } from './board-store.js';
import { describeCall } from './describe-call.js';
import { firstBoard } from './first-board.js';

test.each([
  ['Tod', 'Add “Tea” to a column'],
  ['Todo', 'Add “Tea” to Todo'],
  ['Backlog', 'Add “Tea” to Backlog'],
])(
  "a call that adds a card to “%s” is described as “%s”: half of a column's name is left out",
  (column, words) => {
    const board = new BoardStore(firstBoard);
    expect(describeCall(board, 'board.add_card', { column, title: 'Tea' })).toBe(words);
  },
);
