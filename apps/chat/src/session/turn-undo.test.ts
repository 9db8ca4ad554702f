import { createAgentSession, effect, signal } from '@handrail/session';
import { callTools, say, scriptedProvider } from '@handrail/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { createBoardEditor } from '../board/board-editor.js';
import { BoardHistory } from '../board/board-history.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { createTurnUndo } from './turn-undo.js';

let end = () => Promise.resolve();
afterEach(() => end());

/** A board after a turn that added two cards to it. */
async function afterTurn() {
  const board = new BoardStore(firstBoard);
  const history = new BoardHistory(board);
  const add = (title: string) => ({ tool: 'board.add_card', args: { column: 'Todo', title } });
  const session = createAgentSession({
    provider: scriptedProvider([callTools(add('One'), add('Two')), say('Done.'), say('Hello.')]),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    history,
  });
  end = () => session.dispose();
  await session.send('Add two cards');
  return {
    session,
    undo: createTurnUndo(signal(session)),
    has: (title: string) => board.find(title) !== undefined,
    edit: (title: string, to: string) =>
      createBoardEditor(board, history).rename(board.find(title)!.card.id, to),
  };
}

test('a turn is undone and done again', async () => {
  const { undo, has } = await afterTurn();
  expect([undo.canUndo.peek(), undo.canRedo.peek()]).toEqual([true, false]);
  await undo.run('undo');
  expect(has('One')).toBe(false);
  expect([undo.canUndo.peek(), undo.canRedo.peek()]).toEqual([false, true]);
  await undo.run('redo');
  expect(has('One')).toBe(true);
  expect(undo.conflict.peek()).toBeNull();
});

test('what can be undone and redone changes when the undo has ended, and a second press until then is none', async () => {
  const { session, undo, has } = await afterTurn();
  const seen: boolean[][] = [];
  const stop = effect(() => void seen.push([undo.canUndo.value, undo.canRedo.value]));
  const undone = undo.run('undo');
  expect(session.canUndo.peek()).toBe(false);
  await Promise.all([undone, undo.run('undo')]);
  stop();
  expect(has('One')).toBe(false);
  expect(seen).toEqual([
    [true, false],
    [false, true],
  ]);
});

test('after an edit of the user it asks, and changes nothing until it is forced', async () => {
  const { undo, has, edit } = await afterTurn();
  edit('One', 'Mine');
  await undo.run('undo');
  expect(undo.conflict.peek()).toBe('undo');
  expect(has('Two')).toBe(true);
  await undo.run('undo', true);
  expect(undo.conflict.peek()).toBeNull();
  expect([has('Mine'), has('Two')]).toEqual([true, false]);
});

test('the question can be dismissed', async () => {
  const { undo, has, edit } = await afterTurn();
  edit('One', 'Mine');
  await undo.run('undo');
  undo.dismiss();
  expect(undo.conflict.peek()).toBeNull();
  expect(has('Two')).toBe(true);
});

test('the question is out of date once another turn starts, and stays so when that has ended', async () => {
  const { session, undo, edit } = await afterTurn();
  edit('One', 'Mine');
  await undo.run('undo');
  expect(undo.conflict.peek()).toBe('undo');
  const turn = session.send('Hello');
  expect(undo.conflict.peek()).toBeNull();
  expect(undo.canUndo.peek()).toBe(false);
  await turn;
  await vi.waitUntil(() => session.phase.peek() === 'idle', 30_000);
  expect(undo.conflict.peek()).toBeNull();
});
