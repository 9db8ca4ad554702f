import { createAgentSession, type JsonObject } from '@banister/session';
import { signal } from '@banister/session/signals';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { afterEach, expect, test } from 'vitest';
import { createReview } from '../session/review.js';
import { createBoardContext } from './board-context.js';
import { createBoardDomain } from './board-domain.js';
import { createBoardEditor } from './board-editor.js';
import { BoardHistory } from './board-history.js';
import { BoardStore } from './board-store.js';
import { detailsIn } from './card-details.js';
import { firstBoard, isFirstBoard } from './first-board.js';
import { previewCall } from './preview-call.js';
import { SharedBoard } from './shared-board.js';

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

function open(...calls: readonly { readonly tool: string; readonly args: JsonObject }[]) {
  const board = new BoardStore(firstBoard);
  const history = new BoardHistory(board);
  const session = createAgentSession({
    provider: scriptedProvider([callTools(...calls), say('Done.')]),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    history,
  });
  close = () => session.dispose();
  return { board, session, editor: createBoardEditor(board, history) };
}

const edit = (args: JsonObject) => ({ tool: 'board.edit_card', args: { card: 'card-pricing', ...args } });
const pricing = (board: BoardStore) => board.find('card-pricing')!.card;

test('audit-V4 the agent sets the owner, due date, label and estimate of a card, and empties them', async () => {
  const { board, session } = open(
    {
      tool: 'board.add_card',
      args: { column: 'Todo', title: 'Plan', owner: 'Ana', due: '2026-06-05', label: 'Design', estimate: 2 },
    },
    edit({ owner: 'Ben', clear: ['due', 'estimate'] }),
  );
  await session.send('Go');
  expect(detailsIn(board.find('Plan')!.card)).toEqual({
    owner: 'Ana',
    due: '2026-06-05',
    label: 'Design',
    estimate: 2,
  });
  expect(pricing(board)).toEqual({
    id: 'card-pricing',
    title: 'Decide on pricing',
    owner: 'Ben',
    label: 'Product',
  });
  await session.undo();
  expect(board.find('Plan')).toBeUndefined();
  expect(pricing(board)).toEqual(firstBoard[0]!.cards[1]);
});

test('audit-V4 an undo of the agent’s owner leaves the label that the user gave the card later', async () => {
  const { board, session, editor } = open(edit({ owner: 'Ben' }));
  await session.send('Go');
  editor.detail('card-pricing', { ...detailsIn(pricing(board)), label: 'Research' });
  await session.undo();
  expect([pricing(board).owner, pricing(board).label]).toEqual(['Mai', 'Research']);
});

test('audit-V4 the user’s edit of details is one step of the user’s undo and redo', () => {
  const { board, editor } = open();
  editor.detail('card-pricing', { owner: 'Ana' });
  expect(pricing(board)).toEqual({ id: 'card-pricing', title: 'Decide on pricing', owner: 'Ana' });
  editor.undo();
  expect(pricing(board)).toEqual(firstBoard[0]!.cards[1]);
  editor.redo();
  expect(pricing(board).label).toBeUndefined();
});

test('audit-V4 previews and reviews show the details before and after', async () => {
  const shown = { columns: firstBoard, publication: null };
  expect(
    previewCall(shown, 'board.edit_card', { card: 'card-name', owner: 'Ben', due: '2026-06-05' }),
  ).toEqual({ before: 'Ana, No due date', after: 'Ben, Due Fri 5 Jun' });
  expect(previewCall(shown, 'board.edit_card', { card: 'card-name', owner: 'Ana' })).toBeNull();
  expect(
    previewCall(shown, 'board.add_card', { column: 'Todo', title: 'Plan', owner: 'Ana', estimate: 0.5 }),
  ).toEqual({ before: 'Not on the board', after: 'Last in Todo: Ana, 0.5 days' });

  const { session } = open(edit({ owner: 'Ben', clear: ['label'] }));
  void session.send('Go', { commit: 'review' });
  const review = createReview(signal(session));
  await expect.poll(() => session.phase.peek(), { timeout: 20_000 }).toBe('reviewing');
  expect(review.open.peek()?.[0]).toMatchObject({
    words: 'Edited',
    before: 'Mai, Product',
    after: 'Ben, No label',
    description: 'Edited “Decide on pricing”: Ben, No label',
  });
});

test("audit-V4 the model reads the details of the cards, and today's date", async () => {
  const { board, session } = open({ tool: 'board.list_cards', args: { column: 'Done' } });
  await session.send('Go');
  const list = session.turns.peek()[0]!.rounds[0]!.parts.find((part) => part.type === 'tool-call');
  expect(JSON.stringify(list)).toContain('"owner":"Ana","label":"Product","estimate":1');
  board.select('card-name');
  const line = createBoardContext(board, () => true).summary!();
  expect(line).toMatch(/Today: \d{4}-\d\d-\d\d\./);
  expect(line).toContain('Of the selected card: {"owner":"Ana","label":"Product","estimate":1}.');
  expect(line).toContain(
    '{"title":"Choose a name","owner":"Ana","label":"Product","estimate":1,"column":"Done"}',
  );
});

test('audit-V4 a stored board of an earlier visit, whose cards have no details, opens', () => {
  const columns = firstBoard.map((column) => ({
    ...column,
    cards: column.cards.map(({ id, title }) => ({ id, title })),
  }));
  const text = JSON.stringify({ version: 2, columns, publication: null, past: [], made: {} });
  const storage = { getItem: () => text, setItem: () => {} };
  const board = new BoardStore(firstBoard, new SharedBoard(storage, 'tab'));
  expect(board.columns.peek()).toEqual(columns);
  expect(isFirstBoard(board.columns.peek())).toBe(false);
  createBoardEditor(board, new BoardHistory(board)).detail('card-name', { owner: 'Ana' });
  expect(board.find('card-name')!.card).toEqual({ id: 'card-name', title: 'Choose a name', owner: 'Ana' });
});

test('audit-V4 a stored board whose details have the wrong type is ignored', () => {
  const columns = [
    { ...firstBoard[0]!, cards: [{ id: 'a', title: 'A', owner: 7 }] },
    firstBoard[1],
    firstBoard[2],
  ];
  const text = JSON.stringify({ version: 2, columns, publication: null, past: [], made: {} });
  const storage = { getItem: () => text, setItem: () => {} };
  expect(new BoardStore(firstBoard, new SharedBoard(storage, 'tab')).columns.peek()).toBe(firstBoard);
});
