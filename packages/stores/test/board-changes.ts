import type { StoreBoard } from '@banister/testing';
import type { Seed } from './schedule.js';

/** One change of the board, by ids, so that it can be repeated on another board. */
export type Change =
  | { readonly type: 'title' | 'note'; readonly id: string; readonly value: string }
  | { readonly type: 'tags'; readonly id: string; readonly value: readonly string[] }
  | { readonly type: 'filter'; readonly value: string }
  | { readonly type: 'add' | 'move'; readonly id: string; readonly after: string | null | 'end' }
  | { readonly type: 'remove'; readonly id: string };

/**
 * Returns a change that alters the board; null if the board has no card that can be changed in this way.
 *
 * @param value a string that no other change has
 */
export function changeOf({ kind, card, place }: Seed, { cards }: StoreBoard, value: string): Change | null {
  const after = place % 3 === 0 ? null : place % 3 === 1 ? 'end' : (cards[place % cards.length]?.id ?? 'end');
  if (kind <= 1) return { type: 'add', id: `c${value}`, after };
  if (kind === 2) return { type: 'filter', value };
  const id = cards[card % cards.length]?.id;
  if (id === undefined) return null;
  if (kind <= 5) return { type: 'title', id, value };
  if (kind <= 7) return { type: 'note', id, value };
  if (kind === 8) return { type: 'tags', id, value: ['tag', value] };
  if (kind >= 11) return { type: 'remove', id };
  return after === id ? null : { type: 'move', id, after };
}

export function pathOf(change: Change): string {
  switch (change.type) {
    case 'filter':
      return 'filter';
    case 'title':
    case 'note':
    case 'tags':
      return `cards/${change.id}/${change.type}`;
    default:
      return `cards/${change.id}`;
  }
}

/** Changes a board in place. */
export function carryOut(board: StoreBoard, change: Change): void {
  const { cards } = board;
  if (change.type === 'filter') {
    board.filter = change.value;
    return;
  }
  const at = cards.findIndex(({ id }) => id === change.id);
  if (change.type === 'add')
    return void put(cards, { id: change.id, title: change.id, tags: [] }, change.after);
  if (at < 0) return;
  const card = cards[at]!;
  if (change.type === 'title') card.title = change.value;
  else if (change.type === 'note') card.note = change.value;
  else if (change.type === 'tags') card.tags = [...change.value];
  else {
    cards.splice(at, 1);
    if (change.type === 'move') put(cards, card, change.after);
  }
}

function put(cards: StoreBoard['cards'], card: StoreBoard['cards'][number], after: string | null): void {
  const at = after === null ? 0 : cards.findIndex(({ id }) => id === after) + 1 || cards.length;
  cards.splice(at, 0, card);
}
