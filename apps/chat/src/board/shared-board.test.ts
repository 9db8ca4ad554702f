// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest';
import type { BoardChange } from './board-change.js';
import { BoardStore } from './board-store.js';
import { firstBoard } from './first-board.js';
import { SharedBoard } from './shared-board.js';

const rename = (index: number, id: string, title: string, to: string): BoardChange => {
  const place = { column: 'done', index } as const;
  return { from: { card: { id, title }, place }, to: { card: { id, title: to }, place } };
};
const logo = rename(2, 'card-logo', 'Draw the logo', 'Draw two logos');
const name = rename(0, 'card-name', 'Choose a name', 'Choose two names');

beforeEach(() => localStorage.clear());

/** Opens a tab. `storage` is the storage as its process sees it, which may lag behind. */
function openTab(tab: string, storage: Pick<Storage, 'getItem' | 'setItem'> = localStorage) {
  const shared = new SharedBoard(storage, tab);
  const board = new BoardStore(firstBoard, shared);
  return { board, stop: shared.follow(board), title: (id: string) => board.find(id)?.card.title };
}

const tellTabs = () => dispatchEvent(new StorageEvent('storage', { key: 'banister.board' }));

test('a change in one tab is shown in the others, and read before they change anything', () => {
  const [one, other] = [openTab('one'), openTab('other')];
  one.board.apply(logo, 'user');
  other.board.apply(name, 'agent');
  expect([other.title('card-logo'), other.title('card-name')]).toEqual([
    'Draw two logos',
    'Choose two names',
  ]);
  tellTabs();
  expect(one.board.columns.peek()).toEqual(other.board.columns.peek());
  expect(one.board.revision()).toBe(other.board.revision());
  expect(other.board.userChangeSince('card-logo', new BoardStore(firstBoard).revision())).toBeDefined();
  one.stop();
  other.stop();
});

test('if two tabs change the board at the same moment, the overwritten change is made again', () => {
  const one = openTab('one');
  // The other tab writes without having seen the change of the first tab.
  const stale = {
    getItem: () => null,
    setItem: (key: string, text: string) => localStorage.setItem(key, text),
  };
  const other = openTab('other', stale);
  one.board.apply(logo, 'user');
  other.board.apply(name, 'user');
  other.stop();
  tellTabs();
  expect([one.title('card-logo'), one.title('card-name')]).toEqual(['Draw two logos', 'Choose two names']);
  one.stop();
  const later = openTab('later');
  expect([later.title('card-logo'), later.title('card-name')]).toEqual([
    'Draw two logos',
    'Choose two names',
  ]);
  later.stop();
});

test.each(['', '{', 'null', '{"version":1,"columns":[]}', '{"version":2,"columns":[{"id":"todo"}]}'])(
  'a stored text that is not a board is ignored: %s',
  (text) => {
    localStorage.setItem('banister.board', text);
    const { board, stop } = openTab('one');
    expect(board.columns.peek()).toEqual(firstBoard);
    expect(board.apply(logo, 'user')).toBe(true);
    stop();
  },
);
