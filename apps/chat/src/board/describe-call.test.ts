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

test.each([
  ['plan.carry_out', {}, 'Plan “…”'],
  ['plan.carry_out', { title: 'Release 1.4', steps: [] }, 'Plan “Release 1.4”'],
  ['banister.use_domain', { ids: ['release-notes'] }, 'Read the skill release-notes'],
  ['banister.use_domain', { ids: ['a', 3, 'b'] }, 'Read the skill a, b'],
  ['banister.use_domain', {}, 'Read the skill …'],
])('a call of %s with %j is described as “%s”', (tool, args, words) => {
  expect(describeCall(new BoardStore(firstBoard), tool, args)).toBe(words);
});
