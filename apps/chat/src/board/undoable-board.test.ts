import { createAgentSession, type SessionLog } from '@banister/session';
import { memoryLog } from '@banister/storage';
import { callTools, say, scriptedProvider, type ScriptedAnswer } from '@banister/testing';
import { afterEach, expect, test } from 'vitest';
import { createBoardDomain } from './board-domain.js';
import { createBoardEditor } from './board-editor.js';
import { BoardHistory } from './board-history.js';
import { BoardStore, type SavedBoard } from './board-store.js';
import { firstBoard } from './first-board.js';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Opens a page with a board and a session. A second page over the same log is the page after a reload. */
function openPage(answers: readonly ScriptedAnswer[], log?: SessionLog, saved?: SavedBoard) {
  const keeper = { read: () => saved ?? null, write: () => (saved = undefined) };
  const board = new BoardStore(firstBoard, keeper);
  const history = new BoardHistory(board);
  const session = createAgentSession({
    ...(log ? { id: 'chat', log } : {}),
    provider: scriptedProvider(answers),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    history,
  });
  const close = () => session.dispose();
  ends.push(close);
  return { board, session, close, user: createBoardEditor(board, history) };
}

const boardOf = ({ board }: { board: BoardStore }) => board.columns.peek();
const titlesIn = ({ board }: { board: BoardStore }, column: string) =>
  boardOf({ board })
    .find(({ id }) => id === column)!
    .cards.map(({ title }) => title);

const add = { tool: 'board.add_card', args: { column: 'Todo', title: 'Plan' } };
const rename = { tool: 'board.edit_card', args: { card: 'card-logo', title: 'Logo' } };
const move = { tool: 'board.move_card', args: { card: 'card-search', column: 'Done' } };
const remove = { tool: 'board.delete_card', args: { card: 'card-name' } };
const clear = { tool: 'board.clear_column', args: { column: 'Todo' } };

test('an undo of every kind of change restores the board, and a redo restores the changed board', async () => {
  const page = openPage([callTools(add, rename, move, remove, clear), say('Done.')]);
  await page.session.send('Tidy up');
  const changed = boardOf(page);
  expect(titlesIn(page, 'todo')).toEqual([]);
  const report = await page.session.undo();
  expect(boardOf(page)).toEqual(firstBoard);
  expect(report.done.map(({ description }) => description).toReversed()).toEqual([
    'Added “Plan” to Todo',
    'Renamed “Draw the logo” to “Logo”',
    'Moved “Fix search on mobile” to Done',
    'Deleted “Choose a name”',
    'Deleted “Plan”; Deleted “Sketch the landing page”; Deleted “Decide on pricing”; Deleted “Interview five customers”',
  ]);
  await page.session.redo();
  expect(boardOf(page)).toEqual(changed);
});

test('edits of the user survive the undo of a turn, and an edit in its way is reported with the title of its card', async () => {
  const page = openPage([callTools(add, rename, move), say('Done.')]);
  await page.session.send('Tidy up');
  page.user.rename('card-logo', 'My logo');
  page.user.rename('card-search', 'My search');
  page.user.add('todo', 'Mine');
  const report = await page.session.undo();
  expect(report.failed).toMatchObject([{ reason: '“My logo” was changed since, and stays as it is.' }]);
  expect(titlesIn(page, 'done')).toContain('My logo');
  expect(titlesIn(page, 'doing')).toEqual(['Rewrite the onboarding mail', 'My search']);
  expect(titlesIn(page, 'todo').at(-1)).toBe('Mine');
  expect(titlesIn(page, 'todo')).not.toContain('Plan');
});

test('a turn that moved a card can be undone alone if a later turn renamed the card', async () => {
  const later = { tool: 'board.edit_card', args: { card: 'card-search', title: 'Search' } };
  const page = openPage([callTools(move), say('Moved.'), callTools(later), say('Renamed.')]);
  const { turn } = await page.session.send('Move it').then(() => ({ turn: page.session.turns.peek()[0]! }));
  await page.session.send('Rename it');
  await page.session.undo({ turnId: turn.id });
  expect(titlesIn(page, 'doing')).toEqual(['Rewrite the onboarding mail', 'Search']);
});

test('after a reload a turn is undone with the data that its calls recorded', async () => {
  const log = memoryLog();
  const before = openPage([callTools(add, rename, move, clear), say('Done.')], log);
  await before.session.send('Tidy up');
  before.user.rename('card-domain', 'My domain');
  const saved = { columns: boardOf(before), publication: null, past: [] };
  await before.close();
  const after = openPage([], log, saved);
  await expect.poll(() => after.session.canUndo.peek(), { timeout: 20_000 }).toBe(true);
  await after.session.undo();
  expect(titlesIn(after, 'todo')).toEqual(firstBoard[0]!.cards.map(({ title }) => title));
  expect(titlesIn(after, 'doing')).toEqual(firstBoard[1]!.cards.map(({ title }) => title));
  expect(titlesIn(after, 'done')).toEqual(['Choose a name', 'My domain', 'Draw the logo']);
});

test('a change that another tab made before a call does not belong to the call', async () => {
  const page = openPage([callTools(add), say('Done.')]);
  let news: SavedBoard | null = null;
  const board = new BoardStore(firstBoard, {
    read: () => {
      const read = news;
      news = null;
      return read;
    },
    write: () => {},
  });
  const session = createAgentSession({
    provider: scriptedProvider([callTools(add), say('Done.')]),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
  });
  ends.push(() => session.dispose());
  page.user.rename('card-logo', 'From elsewhere');
  news = { columns: boardOf(page), publication: null, past: [] };
  await session.send('Add one');
  expect(titlesIn({ board }, 'todo')).toContain('Plan');
  await session.undo();
  expect(board.columns.peek()).toEqual(boardOf(page));
});
