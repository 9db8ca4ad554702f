import type { ContextSource } from '@banister/session';
import { cardsOf, columnTitle } from './board.js';
import type { BoardStore } from './board-store.js';
import { detailsIn } from './card-details.js';
import { dayOf } from './day-words.js';

/**
 * Returns one line about the board that the model reads before every answer: counts, and the card that the
 * user points at. If the running turn may call no tool, the line also lists the cards.
 *
 * @param isWithoutTools returns whether the running turn may call no tool
 */
export function createBoardContext(board: BoardStore, isWithoutTools: () => boolean): ContextSource {
  return {
    id: 'board',
    policy: 'always',
    summary() {
      const counts = board.columns.peek().map(({ title, cards }) => `${title} ${cards.length}`);
      const selected = board.find(board.selection.peek() ?? '')?.card;
      const details = JSON.stringify(detailsIn(selected));
      const about = details === '{}' ? '' : ` Of the selected card: ${details}.`;
      const named = selected ? JSON.stringify(selected.title) : 'nothing';
      const line = `${counts.join(', ')} cards. Today: ${dayOf(new Date())}.${about} Selected: ${named}.`;
      if (!isWithoutTools()) return line;
      const columns = board.columns.peek();
      const cards = cardsOf(columns).map(({ card: { id: _, ...card }, place }) => ({
        ...card,
        column: columnTitle(columns, place.column),
      }));
      return `${line} Cards: ${JSON.stringify(cards)}`;
    },
  };
}
