import { visibleText } from '../../text/visible-text.js';
import { showCard } from '../../view/show-card.js';

interface CardLinkProps {
  /** Its id, or its title. */
  readonly card: string;
  readonly text: string;
}

/** A line with a link to its card on the board. */
export function CardLink({ card, text }: CardLinkProps) {
  return (
    <button type="button" className="card-link" onClick={() => showCard(card)}>
      {visibleText(text)}
    </button>
  );
}
