import type { CardDetails } from '../../board/board.js';
import { estimateWords } from '../../board/card-details.js';
import { dueWords } from '../../board/day-words.js';
import { visibleText } from '../../text/visible-text.js';

/** The details of a card below its title; nothing if it has none. */
export function CardFacts({ card: { owner, due, label, estimate } }: { readonly card: CardDetails }) {
  if (owner === undefined && due === undefined && label === undefined && estimate === undefined) return null;
  return (
    <p className="card-facts">
      {label !== undefined && (
        <span className="card-label" data-label={label}>
          <span className="visually-hidden">Label </span>
          {visibleText(label)}
        </span>
      )}
      {due !== undefined && (
        <span>
          <span className="visually-hidden">, due </span>
          <time dateTime={due}>{visibleText(dueWords(due))}</time>
        </span>
      )}
      {estimate !== undefined && (
        <span>
          <span aria-hidden="true">{estimate} d</span>
          <span className="visually-hidden">, {estimateWords(estimate)} of work</span>
        </span>
      )}
      {owner !== undefined && (
        <span className="card-owner">
          <span className="visually-hidden">, owner </span>
          {visibleText(owner)}
        </span>
      )}
    </p>
  );
}
