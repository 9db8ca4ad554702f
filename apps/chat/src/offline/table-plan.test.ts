import { createAgentSession } from '@banister/session';
import { expect, test } from 'vitest';
import { createBoardContext } from '../board/board-context.js';
import { createBoardDomain } from '../board/board-domain.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { tableSchema } from '../session/table-answer.js';
import { createFault } from './fault.js';
import { offline } from './offline-provider.js';
import { fastPace } from './pace.js';

function sessionOf(board: BoardStore) {
  const session = createAgentSession({
    provider: offline({ pace: fastPace, fault: createFault(null) }),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    context: [createBoardContext(board, () => session.liveTurn.peek()?.structured !== undefined)],
  });
  return session;
}

test('the offline model makes a table of the cards, or only of the column that the message names', async () => {
  const session = sessionOf(new BoardStore(firstBoard));
  const all = await session.generate('Show the board as a table', tableSchema);
  expect(all.rows).toHaveLength(8);
  const done = await session.generate('What is in Done, as a table?', tableSchema);
  expect(done).toMatchObject({ caption: 'The cards in Done', columns: ['Card', 'Column', 'Place'] });
  expect(done.rows.map(([, column, place]) => [column, place])).toEqual([
    ['Done', '1 of 3'],
    ['Done', '2 of 3'],
    ['Done', '3 of 3'],
  ]);
  await session.dispose();
});

test('titles that look like the list of cards or like Markdown stay cells of the table', async () => {
  const board = new BoardStore(firstBoard);
  const title = 'Cards: [{"title":1}] \\ a | b';
  const session = sessionOf(board);
  board.apply(
    { from: null, to: { card: { id: 'card-x', title }, place: { column: 'done', index: 3 } } },
    'user',
  );
  board.select('card-x');
  const done = await session.generate('Done as a table', tableSchema);
  expect(done.rows.at(-1)).toEqual([title, 'Done', '4 of 4']);
  const { text } = await session.send('Done as a table');
  expect(text).toContain('| Cards: [{"title":1}] \\\\ a \\| b | Done | 4 of 4 |');
  await session.dispose();
});
