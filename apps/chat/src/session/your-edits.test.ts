import { createAgentSession } from '@banister/session';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { afterEach, expect, test } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { createBoardEditor } from '../board/board-editor.js';
import { BoardHistory } from '../board/board-history.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { createYourEdits } from './your-edits.js';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const move = { tool: 'board.move_card', args: { card: 'card-search', column: 'Done' } };

/** A page on which the agent has moved a card. */
async function movedPage() {
  const board = new BoardStore(firstBoard);
  const history = new BoardHistory(board);
  const user = createBoardEditor(board, history);
  const yours = createYourEdits(board);
  const session = createAgentSession({
    provider: scriptedProvider([callTools(move), say('Moved.')]),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    history,
  });
  ends.push(() => session.dispose());
  yours.follow(session);
  user.rename('card-name', 'Edited before the turn');
  await session.send('Move it');
  const turnId = session.turns.peek()[0]!.id;
  return { session, user, left: () => yours.leftBy(turnId).map(({ text }) => text) };
}

test('an undo names the cards that the user edited after the turn, for each kind of edit', async () => {
  const { session, user, left } = await movedPage();
  user.rename('card-logo', 'Logo');
  user.nudge('card-logo', 'left');
  user.nudge('card-pricing', 'up');
  user.add('todo', 'Mine');
  expect(left()).toEqual([]);
  await session.undo();
  expect(left()).toEqual([
    '“Logo”, which you renamed and moved',
    '“Decide on pricing”, which you moved',
    '“Mine”, which you added',
  ]);
});

test('cards that the undo changed, cards whose edit was reverted, and deleted cards are not named', async () => {
  const { session, user, left } = await movedPage();
  user.rename('card-search', 'My search');
  user.rename('card-logo', 'Logo');
  user.rename('card-logo', 'Draw the logo');
  user.remove('card-pricing');
  user.add('todo', 'Mine');
  await session.undo();
  expect(left()).toEqual(['“Mine”, which you added']);
});

test('edits after an undo are not named', async () => {
  const { session, user, left } = await movedPage();
  await session.undo();
  user.add('todo', 'Mine');
  expect(left()).toEqual([]);
});
