import { createAgentSession, effect, type JsonObject } from '@banister/session';
import { signal } from '@banister/session/signals';
import { callTools, say, scriptedProvider, type ScriptedAnswer } from '@banister/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { createBoardEditor } from '../board/board-editor.js';
import { BoardHistory } from '../board/board-history.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { canUndoTurn, createTurnUndo } from './turn-undo.js';

let end = () => Promise.resolve();
let focused: string[] = [];
afterEach(() => end());

/** A board after a turn that added two cards to it. */
const afterTurn = (...answers: readonly ScriptedAnswer[]) => afterCalls([], answers);

/**
 * A board after it was published as well. That effect does not know the user's edits, so an undo asks about
 * them.
 */
const afterPublication = (...answers: readonly ScriptedAnswer[]) =>
  afterCalls([{ tool: 'board.publish_board', args: { audience: 'team' } }], answers);

async function afterCalls(
  calls: readonly { readonly tool: string; readonly args: JsonObject }[],
  answers: readonly ScriptedAnswer[],
) {
  focused = [];
  const board = new BoardStore(firstBoard);
  const history = new BoardHistory(board);
  const add = (title: string) => ({ tool: 'board.add_card', args: { column: 'Todo', title } });
  const session = createAgentSession({
    provider: scriptedProvider([callTools(add('One'), add('Two'), ...calls), say('Done.'), ...answers]),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    history,
  });
  end = () => session.dispose();
  await session.send('Add two cards');
  return {
    session,
    undo: createTurnUndo(signal(session), { focus: (...names) => void focused.push(...names) }),
    has: (title: string) => board.find(title) !== undefined,
    edit: (title: string, to: string) =>
      createBoardEditor(board, history).rename(board.find(title)!.card.id, to),
  };
}

test('a turn can be undone and redone', async () => {
  const { undo, has } = await afterTurn();
  expect([undo.canUndo.peek(), undo.canRedo.peek()]).toEqual([true, false]);
  await undo.run('undo');
  expect(has('One')).toBe(false);
  expect([undo.canUndo.peek(), undo.canRedo.peek()]).toEqual([false, true]);
  await undo.run('redo');
  expect(has('One')).toBe(true);
  expect(undo.question.peek()).toBeNull();
});

test('`canUndo` and `canRedo` change only when the undo has ended, and a second press before that does nothing', async () => {
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

test('after an edit of the user, an undo asks if an effect would overwrite the edit, and changes nothing until it is forced', async () => {
  const { undo, has, edit } = await afterPublication();
  edit('One', 'Mine');
  await undo.run('undo');
  expect(undo.question.peek()?.action).toBe('Undo anyway');
  expect(has('Two')).toBe(true);
  await undo.goOn();
  expect(undo.question.peek()).toBeNull();
  expect([has('Mine'), has('Two')]).toEqual([true, false]);
});

test('after an edit of the user, an undo does not ask if no effect would overwrite the edit', async () => {
  const { undo, has, edit } = await afterTurn();
  edit('One', 'Mine');
  await undo.run('undo');
  expect(undo.question.peek()).toBeNull();
  expect([has('Mine'), has('Two')]).toEqual([true, false]);
});

test('the question can be dismissed', async () => {
  const { undo, has, edit } = await afterPublication();
  edit('One', 'Mine');
  await undo.run('undo');
  undo.dismiss();
  expect(undo.question.peek()).toBeNull();
  expect(has('Two')).toBe(true);
});

test('the question is dropped when another turn starts, and does not come back', async () => {
  const { session, undo, edit } = await afterPublication(say('Hello.'));
  edit('One', 'Mine');
  await undo.run('undo');
  expect(undo.question.peek()?.action).toBe('Undo anyway');
  const turn = session.send('Hello');
  expect(undo.question.peek()).toBeNull();
  expect(undo.canUndo.peek()).toBe(false);
  await turn;
  await vi.waitUntil(() => session.phase.peek() === 'idle', 30_000);
  expect(undo.question.peek()).toBeNull();
});

test('an older turn is undone alone if no later turn changed its cards, and the message gets the focus', async () => {
  const later = callTools({ tool: 'board.add_card', args: { column: 'Todo', title: 'Three' } });
  const { session, undo, has } = await afterTurn(later, say('Done.'));
  const [first] = session.turns.peek();
  await session.send('One more');
  expect(canUndoTurn(session, first!.id)).toBe(true);
  await undo.run('undo', first!.id);
  expect([has('One'), has('Two'), has('Three')]).toEqual([false, false, true]);
  expect(undo.question.peek()).toBeNull();
  expect(focused).toEqual(['message']);
  expect(canUndoTurn(session, first!.id)).toBe(false);
});

test('later turns that changed the same cards are named, and are undone with it if the user says so', async () => {
  const rename = callTools({ tool: 'board.edit_card', args: { card: 'One', title: 'Uno' } });
  const { session, undo, has } = await afterTurn(rename, say('Done.'));
  const [first] = session.turns.peek();
  await session.send('Call it Uno');
  await undo.run('undo', first!.id);
  expect(undo.question.peek()).toMatchObject({
    text: '“Call it Uno” came later and is in the way',
    action: 'Undo both',
  });
  expect([has('Uno'), has('Two'), focused]).toEqual([true, true, []]);
  await undo.goOn();
  expect([has('Uno'), has('One'), has('Two')]).toEqual([false, false, false]);
  expect(undo.question.peek()).toBeNull();
});

test('an edit of the user between the undo of two turns leads to the next question', async () => {
  const rename = callTools({ tool: 'board.edit_card', args: { card: 'One', title: 'Uno' } });
  const { session, undo, has, edit } = await afterPublication(rename, say('Done.'));
  const [first] = session.turns.peek();
  await session.send('Call it Uno');
  await undo.run('undo', first!.id);
  edit('Two', 'Mine');
  await undo.goOn();
  expect(undo.question.peek()?.action).toBe('Undo anyway');
  expect(has('Mine')).toBe(true);
});
