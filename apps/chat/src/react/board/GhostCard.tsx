import type { CardMark, StagedCard } from '../../board/card-mark.js';
import { ghostKeyOf, type GhostEffect } from '../../board/pending-effects.js';
import type { Review } from '../../session/review.js';
import { visibleText } from '../../text/visible-text.js';
import { CardFacts } from './CardFacts.js';
import { CardSay } from './CardSay.js';
import { StagedChanges } from './StagedChanges.js';

interface GhostCardProps {
  readonly ghost: GhostEffect;
  readonly mark: CardMark;
}

/**
 * A card that does not exist yet. It is shown while the agent writes the call, and becomes a real card when
 * the call runs.
 */
export function GhostCard({ ghost, mark }: GhostCardProps) {
  return (
    <li
      className="card ghost"
      data-ghost={ghost.stage}
      data-state={mark.state}
      data-motion={ghostKeyOf(ghost)}
    >
      <span className="card-title ghost-title">
        {visibleText(ghost.title)}
        {ghost.stage === 'assembling' && ghost.type === 'add' && (
          <span className="caret" aria-hidden="true" />
        )}
      </span>
      <span className="visually-hidden">, not there yet</span>
      <CardFacts card={ghost} />
      <CardSay mark={mark} />
    </li>
  );
}

interface DeletedCardProps {
  readonly deleted: StagedCard;
  /** All changes of the card, including its deletion. */
  readonly staged: readonly StagedCard[];
  readonly review: Review;
}

/** A card whose deletion is under review, struck through at its old place. */
export function DeletedCard({ deleted: { card }, staged, review }: DeletedCardProps) {
  return (
    <li className="card" data-state="staged" data-kind="deleted" data-motion={`deleted-${card.id}`}>
      <s className="card-title">{visibleText(card.title)}</s>
      <CardFacts card={card.was ?? {}} />
      <StagedChanges staged={staged} review={review} />
    </li>
  );
}
