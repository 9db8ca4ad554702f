import type { ContextSource } from '@banister/session';
import { cardsOf, columnTitle } from './board.js';
import type { BoardStore } from './board-store.js';

/**
 * One line about the board that the model reads before every answer: counts, and what the user points at. An answer that may call no tool
 * gets the cards as well.
 *
 * @param isWithoutTools whether the running turn may call no tool
 */
export function createBoardContext(board: BoardStore, isWithoutTools: () => boolean): ContextSource {
  return {
    id: 'board',
    policy: 'always',
    summary() {
      const counts = board.columns.peek().map(({ title, cards }) => `${title} ${cards.length}`);
      const selected = board.find(board.selection.peek() ?? '')?.card;
      const line = `${counts.join(', ')} cards. Selected: ${selected ? JSON.stringify(selected.title) : 'nothing'}.`;
      if (!isWithoutTools()) return line;
      const columns = board.columns.peek();
      const cards = cardsOf(columns).map(({ card: { title }, place }) => ({
        title,
        column: columnTitle(columns, place.column),
      }));
      return `${line} Cards: ${JSON.stringify(cards)}`;
    },
  };
}
