import { describe, expect, test } from 'vitest';
import { createBoardEditor } from './board-editor.js';
import { BoardHistory } from './board-history.js';
import { BoardStore } from './board-store.js';
import { firstBoard } from './first-board.js';

/** Renames a card of the first board, as a tool does. */
function renamed(board: BoardStore, id: string, title: string): void {
  const from = board.find(id)!;
  board.apply({ from, to: { ...from, card: { id, title } } }, 'agent');
}

function makeBoard() {
  const board = new BoardStore(firstBoard);
  const history = new BoardHistory(board);
  const editor = createBoardEditor(board, history);
  const titles = (column: string) =>
    board.columns
      .peek()
      .find(({ id }) => id === column)!
      .cards.map(({ title }) => title);
  return { board, history, editor, titles };
}

describe('the board’s history', () => {
  test('undoes the user’s edits one by one, and redoes them', () => {
    const { board, editor } = makeBoard();
    const id = editor.add('todo', 'New');
    editor.rename(id, 'Newer');
    editor.move(id, { column: 'done', index: 0 });
    editor.remove(id);
    const states = [1, 2, 3, 4].map(() => {
      editor.undo();
      return board.find(id)?.card.title;
    });
    expect(states).toEqual(['Newer', 'Newer', 'New', undefined]);
    expect(board.columns.peek()).toEqual(firstBoard);
    editor.redo();
    expect(board.find(id)?.card.title).toBe('New');
  });

  test('does not undo an edit that the agent has changed later', () => {
    const { board, editor } = makeBoard();
    editor.rename('card-logo', 'Draw a logo');
    renamed(board, 'card-logo', 'Draw two logos');
    expect(editor.undo()?.state).toBe('kept');
    expect(board.find('card-logo')?.card.title).toBe('Draw two logos');
    expect(editor.undo()).toBeNull();
  });

  test('has a turn of the agent as one entry, which the user’s undo does not touch', async () => {
    const { board, history, editor, titles } = makeBoard();
    const turn = history.begin('Tidy up');
    renamed(board, 'card-name', 'Chosen');
    await turn.record({
      toolCallId: '1',
      toolName: 'board.edit_card',
      description: 'Renamed',
      revert: () => {},
    });
    const effects = await turn.commit();
    editor.add('todo', 'Mine');
    expect(history.list.peek().map(({ by, label }) => [by, label])).toEqual([
      ['agent', 'Tidy up'],
      ['user', 'Added “Mine”'],
    ]);
    editor.undo();
    expect(titles('done')).toContain('Chosen');
    await effects.revert(undefined);
    expect(history.list.peek()[0]?.state).toBe('undone');
  });

  test('has no entry for a turn without effects', async () => {
    const { history } = makeBoard();
    await history.begin('List the cards').commit();
    expect(history.list.peek()).toEqual([]);
  });
});

describe('the board', () => {
  test('knows whether the user changed a card or its column after a revision', () => {
    const { board, editor } = makeBoard();
    const before = board.revision();
    renamed(board, 'card-logo', 'Logo');
    expect(board.userChangeSince('card-logo', before)).toBeUndefined();
    editor.rename('card-logo', 'My logo');
    const after = board.revision();
    expect(board.userChangeSince('card-logo', before)).toBe(after);
    expect(board.userChangeSince('done', before)).toBe(after);
    expect(board.userChangeSince('card-logo', after)).toBeUndefined();
  });

  test('drops the selection of a deleted card', () => {
    const { board, editor } = makeBoard();
    board.select('card-logo');
    editor.remove('card-logo');
    expect(board.selection.peek()).toBeNull();
  });
});
