import type { ContextSource } from '@handrail/session';
import type { BoardStore } from './board-store.js';

/** One line about the board that the model reads before every answer: counts, and what the user points at. */
export function createBoardContext(board: BoardStore): ContextSource {
  return {
    id: 'board',
    policy: 'always',
    summary() {
      const counts = board.columns.peek().map(({ title, cards }) => `${title} ${cards.length}`);
      const selected = board.find(board.selection.peek() ?? '')?.card;
      return `${counts.join(', ')} cards. Selected: ${selected ? JSON.stringify(selected.title) : 'nothing'}.`;
    },
  };
}
