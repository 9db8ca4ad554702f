import { useId } from 'react';
import { markOfReview, type StagedCard } from '../../board/card-mark.js';
import type { Review } from '../../session/review.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';
import { CardSay } from './CardSay.js';

interface StagedChangesProps {
  readonly staged: readonly StagedCard[];
  readonly review: Review;
}

/** The changes of a card under review, each with a description and two buttons. */
export function StagedChanges({ staged, review }: StagedChangesProps) {
  return staged.map((one) => (
    <CardSay key={one.change.toolCallId} mark={markOfReview(one)}>
      <ReviewButtons staged={one} review={review} />
    </CardSay>
  ));
}

interface ReviewButtonsProps {
  readonly staged: StagedCard;
  readonly review: Review;
}

/** The two buttons of a change under review: take back, and keep. */
function ReviewButtons({ staged: { change, card }, review }: ReviewButtonsProps) {
  const note = useId();
  const { toolCallId, goesWith, conflict, canTakeBack } = change;
  const name = `${card.words} “${visibleText(card.title)}”`;
  const together = change.cards.length > 1 ? `One change of ${change.cards.length} cards` : null;
  const reason = conflict ?? (goesWith === null ? together : `Goes with it: ${goesWith}`);
  return (
    <>
      <span className="card-answers">
        {canTakeBack && (
          <button
            type="button"
            className="button button-icon button-bare"
            aria-label={`Take back: ${name}`}
            aria-describedby={reason === null ? undefined : note}
            title="Take back"
            onClick={(event) => decide(event.currentTarget, () => review.takeBack([toolCallId]))}
          >
            <Icon name="undo" />
          </button>
        )}
        <button
          type="button"
          className="button button-icon"
          aria-label={`Keep: ${name}`}
          title="Keep"
          onClick={(event) => decide(event.currentTarget, () => review.keep([toolCallId]))}
        >
          <Icon name="done" />
        </button>
      </span>
      {reason !== null && (
        <span className="card-note" id={note} data-kind={conflict === null ? 'with' : 'conflict'}>
          {visibleText(reason)}
        </span>
      )}
    </>
  );
}

/** Decides, and moves the focus to the next card under review, because the pressed button is removed. */
function decide(pressed: HTMLElement, run: () => Promise<void>): void {
  const board = pressed.closest('.board');
  const buttons = () => [...(board?.querySelectorAll<HTMLElement>('.card-answers .button:last-child') ?? [])];
  const card = pressed.closest<HTMLElement>('[data-card]');
  const at = buttons().findIndex((button) => button.parentElement === pressed.parentElement);
  const moveFocus = () => {
    if (document.activeElement !== document.body && document.activeElement !== pressed) return;
    if (pressed.isConnected) return;
    const left = buttons();
    const title = card?.isConnected ? card.querySelector<HTMLElement>('.card-title') : null;
    (
      left[Math.min(at, left.length - 1)] ??
      title ??
      board?.querySelector<HTMLElement>('.card-title')
    )?.focus();
  };
  void run().then(() => requestAnimationFrame(moveFocus));
}
