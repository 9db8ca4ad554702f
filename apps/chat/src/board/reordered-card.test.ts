import { createAgentSession } from '@banister/session';
import { callTools, say, scriptedProvider, type ScriptedAnswer } from '@banister/testing';
import { afterEach, expect, test } from 'vitest';
import { createBoardDomain } from './board-domain.js';
import { createBoardEditor } from './board-editor.js';
import { BoardHistory } from './board-history.js';
import { BoardStore } from './board-store.js';
import { firstBoard } from './first-board.js';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function openPage(answers: readonly ScriptedAnswer[]) {
  const board = new BoardStore(firstBoard);
  const history = new BoardHistory(board);
  const session = createAgentSession({
    provider: scriptedProvider(answers),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    history,
  });
  ends.push(() => session.dispose());
  return { board, session, user: createBoardEditor(board, history) };
}

const boardOf = ({ board }: { board: BoardStore }) => board.columns.peek();
const titlesIn = ({ board }: { board: BoardStore }, column: string) =>
  boardOf({ board })
    .find(({ id }) => id === column)!
    .cards.map(({ title }) => title);

const rename = { tool: 'board.edit_card', args: { card: 'card-logo', title: 'Logo' } };
const move = { tool: 'board.move_card', args: { card: 'card-search', column: 'Done' } };

test('a moved card that the user reorders in its new column goes back to its old place, and the report says so', async () => {
  const page = openPage([callTools(move, rename), say('Done.')]);
  await page.session.send('Move it');
  page.user.nudge('card-search', 'up');
  page.user.nudge('card-search', 'up');
  expect(titlesIn(page, 'done')[1]).toBe('Fix search on mobile');
  const report = await page.session.undo();
  expect(report).toMatchObject({
    done: [
      { description: expect.stringContaining('Renamed') },
      { description: expect.stringContaining('Moved') },
    ],
    failed: [],
  });
  expect(boardOf(page)).toEqual(firstBoard);
  await page.session.redo();
  expect(titlesIn(page, 'done')).toEqual([
    'Choose a name',
    'Register the domain',
    'Logo',
    'Fix search on mobile',
  ]);
});

test('a moved card that the user moves to another column stays there, and the report says so', async () => {
  const page = openPage([callTools(move), say('Done.')]);
  await page.session.send('Move it');
  page.user.move('card-search', { column: 'todo', index: 0 });
  const report = await page.session.undo();
  expect(report.done).toEqual([]);
  expect(report.failed).toMatchObject([
    { reason: '“Fix search on mobile” was changed since, and stays as it is.' },
  ]);
  expect(titlesIn(page, 'todo')[0]).toBe('Fix search on mobile');
  expect(titlesIn(page, 'doing')).toEqual(['Rewrite the onboarding mail']);
});

test('an undo puts a moved card after its previous neighbour if the user has reordered the old column', async () => {
  const page = openPage([
    callTools({ tool: 'board.move_card', args: { card: 'card-pricing', column: 'Done' } }),
    say('Done.'),
  ]);
  await page.session.send('Move it');
  page.user.nudge('card-landing', 'up');
  expect(titlesIn(page, 'todo')).toEqual(['Sketch the landing page', 'Interview five customers']);
  const report = await page.session.undo();
  expect(report.failed).toEqual([]);
  expect(titlesIn(page, 'todo')).toEqual([
    'Sketch the landing page',
    'Interview five customers',
    'Decide on pricing',
  ]);
});
