import { useId } from 'react';
import { decide } from '../../session/decide.js';
import type { Cues } from '../../session/cues.js';
import type { Review, ReviewedChange } from '../../session/review.js';
import { reviewWords } from '../../session/reviewed-call.js';
import { visibleText } from '../../text/visible-text.js';
import { IconButton } from './IconButton.js';

interface ReviewRowProps {
  readonly change: ReviewedChange;
  readonly review: Review;
  readonly cues: Cues;
}

/** A change that waits for the user's decision, with its values before and after and the two buttons. */
export function ReviewRow({ change, review, cues }: ReviewRowProps) {
  const { toolCallId, conflict, canTakeBack } = change;
  const { before, after, hadValue, takeBackLabel, keepLabel, goesWith } = reviewWords(change);
  const id = useId();
  return (
    <>
      <div className="review-buttons">
        {canTakeBack && (
          <IconButton
            icon="undo"
            label={visibleText(takeBackLabel)}
            describedBy={goesWith === null ? undefined : id}
            focusName={`back:${toolCallId}`}
            onPress={() => void decide(review, change, 'takeBack', cues)}
          />
        )}
        <IconButton
          icon="done"
          label={visibleText(keepLabel)}
          focusName={`keep:${toolCallId}`}
          onPress={() => void decide(review, change, 'keep', cues)}
        />
      </div>
      <div className="review-words">
        {before !== null && after !== null && (
          <p className="review-delta">
            {hadValue ? <s>{visibleText(before)}</s> : before}{' '}
            <span aria-hidden="true" className="leads">
              →
            </span>
            <span className="visually-hidden">becomes</span> <em>{visibleText(after)}</em>
          </p>
        )}
        {goesWith !== null && (
          <p className="review-with" id={id}>
            {visibleText(goesWith)}
          </p>
        )}
        {conflict !== null && <p className="review-conflict">{visibleText(conflict)}</p>}
      </div>
    </>
  );
}
