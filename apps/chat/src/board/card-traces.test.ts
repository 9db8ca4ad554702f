import { createAgentSession } from '@banister/session';
import { signal } from '@banister/session/signals';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { afterEach, expect, test } from 'vitest';
import { createBoardDomain } from './board-domain.js';
import { createBoardEditor } from './board-editor.js';
import { BoardHistory } from './board-history.js';
import { BoardStore } from './board-store.js';
import { createCardTraces } from './card-traces.js';
import { firstBoard } from './first-board.js';

let end = () => Promise.resolve();
afterEach(() => end());

function makeBoard(...answers: Parameters<typeof scriptedProvider>[0]) {
  const board = new BoardStore(firstBoard);
  const history = new BoardHistory(board);
  const session = createAgentSession({
    provider: scriptedProvider(answers),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    history,
  });
  end = () => session.dispose();
  const traces = createCardTraces(board, signal(session));
  const words = (title: string) => traces.all.peek().get(board.find(title)!.card.id)?.words;
  return { session, traces, words, user: createBoardEditor(board, history) };
}

const add = { tool: 'board.add_card', args: { column: 'Todo', title: 'Plan' } };
const moveNew = { tool: 'board.move_card', args: { card: 'Plan', column: 'Doing' } };
const move = { tool: 'board.move_card', args: { card: 'card-search', column: 'Done' } };
const rename = { tool: 'board.edit_card', args: { card: 'card-logo', title: 'Logo' } };
const remove = { tool: 'board.delete_card', args: { card: 'card-name' } };

test('the cards of a turn show what changed, until the next turn', async () => {
  const { session, words } = makeBoard(
    callTools(add, move, rename),
    callTools(moveNew),
    say('Done.'),
    callTools(remove),
    say('Deleted.'),
  );
  await session.send('Tidy up');
  // A card that was added in this turn is new, no matter where it was moved.
  expect([words('Plan'), words('Fix search on mobile'), words('Logo')]).toEqual([
    'Added',
    'Moved from Doing',
    'Renamed',
  ]);
  await session.send('One more');
  expect([words('Plan'), words('Fix search on mobile'), words('Logo')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("an edit of the user removes the words about the agent's change from the card", async () => {
  const { session, words, user } = makeBoard(callTools(rename), say('Done.'));
  await session.send('Rename it');
  user.rename('card-logo', 'My logo');
  expect(words('My logo')).toBeUndefined();
});

test('the words about an undo stay on the cards until `forgetUndone` is called, and a redo shows the words about the changes again', async () => {
  const { session, traces, words } = makeBoard(callTools(move, rename, remove), say('Done.'));
  await session.send('Tidy up');
  const before = traces.all.peek();
  await session.undo();
  const back = [words('Fix search on mobile'), words('Draw the logo'), words('Choose a name')];
  expect(back).toEqual(['Back from Done', 'Name is back', 'Came back']);
  // Words that came after an input are newer than the input.
  traces.forgetUndone(before);
  expect(words('Draw the logo')).toBe('Name is back');
  traces.forgetUndone(traces.all.peek());
  expect(traces.all.peek().size).toBe(0);
  await session.redo();
  expect([words('Fix search on mobile'), words('Logo')]).toEqual(['Moved from Doing', 'Renamed']);
});
