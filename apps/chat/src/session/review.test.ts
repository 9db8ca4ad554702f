import { createAgentSession } from '@banister/session';
import { signal } from '@banister/session/signals';
import { callTools, say, scriptedProvider, type ScriptedAnswer } from '@banister/testing';
import { afterEach, expect, test } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { createReview } from './review.js';

let end = () => Promise.resolve();
afterEach(() => end());

/** A turn whose calls wait for the user's review. */
async function reviewOf(calls: ScriptedAnswer) {
  const board = new BoardStore(firstBoard);
  const session = createAgentSession({
    provider: scriptedProvider([calls, say('Look at it.')]),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
  });
  end = () => session.dispose();
  const review = createReview(signal(session));
  const turn = session.send('Tidy up', { commit: 'review' });
  await expect.poll(() => session.phase.peek(), { timeout: 20_000 }).toBe('reviewing');
  return { board, session, review, turn };
}

const add = { tool: 'board.add_card', args: { column: 'Todo', title: 'Plan' } };
const rename = { tool: 'board.edit_card', args: { card: 'card-logo', title: 'Logo' } };
const move = { tool: 'board.move_card', args: { card: 'card-search', column: 'Done' } };
const remove = { tool: 'board.delete_card', args: { card: 'card-name' } };

test('a review describes each change, with its value before and after', async () => {
  const { review } = await reviewOf(callTools(add, rename, move, remove));
  const rows = review.open.peek()!.map(({ title, words, before, after }) => [title, words, before, after]);
  expect(rows).toEqual([
    ['Plan', 'Added', null, 'Todo'],
    ['Logo', 'Renamed', 'Draw the logo', 'Logo'],
    ['Fix search on mobile', 'Moved from Doing', 'Doing', 'Done'],
    ['Choose a name', 'Deleted', 'Done', null],
  ]);
  expect(review.open.peek()![3]!.cards[0]!.was).toMatchObject({
    id: 'card-name',
    title: 'Choose a name',
    column: 'Done',
    index: 0,
  });
});

test('a call that changes several cards is one change with a row for each', async () => {
  const { review } = await reviewOf(callTools({ tool: 'board.clear_column', args: { column: 'Done' } }));
  const [cleared] = review.open.peek()!;
  expect(cleared).toMatchObject({ title: '3 cards', words: 'Deleted', before: null, after: null });
  expect([...cleared!.cardIds].sort()).toEqual(['card-domain', 'card-logo', 'card-name']);
});

test('a change names the changes that are undone with it, and the turn ends when no change is open', async () => {
  const again = { tool: 'board.edit_card', args: { card: 'card-logo', title: 'Logo 2' } };
  const { board, review, turn } = await reviewOf(callTools(rename, again, remove));
  const [first, second] = review.open.peek()!;
  expect(first!.goesWith).toBe('Renamed “Logo” to “Logo 2”');
  expect(second!.goesWith).toBeNull();
  await review.takeBack([first!.toolCallId]);
  expect(review.open.peek()!.map(({ title }) => title)).toEqual(['Choose a name']);
  expect(board.find('card-logo')?.card.title).toBe('Draw the logo');
  await review.keep();
  expect(review.open.peek()).toBeNull();
  expect((await turn).status).toBe('completed');
  expect(board.find('card-name')).toBeUndefined();
});
