import { callOf, defineGuard, type Guard } from '@banister/session';
import { cardsOf } from './board.js';
import type { BoardStore } from './board-store.js';
import { deleteCard } from './board-tools.js';
import { noSuchCard } from './no-such-card.js';
import { publishingPrice } from './publishing-price.js';

/** Creates guards that ask the user before the agent spends money or destroys existing content. */
export function createBoardGuards(board: BoardStore): readonly Guard[] {
  const askBeforeSpending = defineGuard('ask-before-spending', (call) => {
    if (!call.capabilities.includes('paid')) return 'allow';
    const cards = cardsOf(board.columns.peek()).length;
    return {
      confirm: `Publishes ${cards} cards on the web.`,
      cost: publishingPrice(cards),
    };
  });
  const askBeforeDeleting = defineGuard('ask-before-deleting', ({ capabilities }) =>
    capabilities.includes('destructive') ? { confirm: 'Undo brings it back.' } : 'allow',
  );
  // The user could not answer a question about a card that does not exist.
  const knowCard = defineGuard('know-card', (call) => {
    const card = callOf(deleteCard, call)?.arguments?.card;
    if (card === undefined || board.find(card)) return 'allow';
    const { forModel, forUser } = noSuchCard(board.columns.peek(), card);
    return { deny: forModel, forUser };
  });
  return [knowCard, askBeforeSpending, askBeforeDeleting];
}
