import { defined } from '@banister/provider/internal/json/defined';
import type { OperationOf } from '../operations/operation.js';
import type { ReviewedEffect, ReviewRejected } from './review-operations.js';
import type { StepRef } from '../operations/session-operations.js';
import { set, type Change } from '../state/change.js';
import type { AllHandlers } from '../state/handlers.js';
import { withReverted } from '../state/reverted-calls.js';
import { afterReject } from '../state/revision-notes.js';
import type { FoldState } from '../state/session-state.js';
import { noteRevisions, noteTurn, type ReviewNotes } from '../state/turn-notes.js';
import { noteCalls, withCalls } from '../state/undo-notes.js';

/** Handlers of the review of a turn. */
export const reviewHandlers = {
  reviewOpened: (state, { turnId, ending, effects }) => [
    set(['phase'], 'reviewing'),
    set(['pendingReview'], { turnId, effects }),
    ...noteTurn(state, ({ review }) => ({ ending, review: withEffects(review, effects) })),
  ],

  rejectStarted: (state, { ids }) => noteRejecting(state, ids),

  reviewResolved: (state, operation) =>
    operation.decision === 'accepted'
      ? openEffects(state, ({ toolCallId }) => !operation.ids.includes(toolCallId))
      : rejected(state, operation),
} satisfies Partial<AllHandlers>;

/**
 * Returns the notes of a review that is opened, or opened again. They include the effects without a decision, and effects that were
 * recorded since.
 */
function withEffects(
  { effects: before, rejecting }: ReviewNotes = notesOf([]),
  opened: readonly ReviewedEffect[],
): ReviewNotes {
  const { effects } = notesOf(opened);
  const ids = new Set(effects.map(({ toolCallId }) => toolCallId));
  return { effects: [...before.filter(({ toolCallId }) => !ids.has(toolCallId)), ...effects], rejecting };
}

function notesOf(effects: readonly ReviewedEffect[]): ReviewNotes {
  return {
    effects: effects.map(({ toolCallId, dependents }) => ({ toolCallId, dependents })),
    rejecting: null,
  };
}

function noteRejecting(state: FoldState, rejecting: readonly string[] | null): readonly Change[] {
  return noteTurn(state, ({ review = notesOf([]) }) => ({ review: { ...review, rejecting } }));
}

function openEffects(
  { pendingReview }: FoldState,
  stays: (effect: ReviewedEffect) => boolean,
): readonly Change[] {
  return pendingReview === null
    ? []
    : [set(['pendingReview', 'effects'], pendingReview.effects.filter(stays))];
}

function rejected(
  state: FoldState,
  { turnId, report, moved }: OperationOf<'reviewResolved'> & ReviewRejected,
): readonly Change[] {
  const { pendingReview, liveTurn } = state;
  const { done, failed } = report;
  const gone = new Set(done.map(({ toolCallId }) => toolCallId));
  const failures = new Map(failed.map((item) => [item.toolCallId, item]));
  const effects = pendingReview?.effects.flatMap((effect) => {
    const failure = failures.get(effect.toolCallId);
    if (gone.has(effect.toolCallId)) return [];
    if (failure === undefined) return [effect];
    const { because: _before, ...rest } = effect;
    return [defined({ ...rest, conflict: failure.reason, because: failure.because })];
  });
  return [
    ...(effects === undefined ? [] : [set(['pendingReview', 'effects'], effects)]),
    ...(liveTurn === null || done.length === 0
      ? []
      : [
          set(['liveTurn'], {
            ...withReverted(liveTurn, done, true),
            rejected: [...(liveTurn.rejected ?? []), ...done],
          }),
        ]),
    ...noteRevisions(state, (notes) => afterReject(notes, moved)),
    ...noteCalls(state, turnId, (calls) => withCalls(calls, done, 'reverted')),
    ...noteRejecting(state, null),
  ];
}

/** Returns the changes of a review after an aborted call has ended: its effect was taken back, and needs no decision any more. */
export function withoutOpen(state: FoldState, callId: string): readonly Change[] {
  return openEffects(state, ({ toolCallId }) => toolCallId !== callId);
}

/**
 * Returns the changes of a review when the log has another owner. Effects that the new owner cannot take back can only be accepted. Effects
 * without data can only be accepted too, because their closures are gone.
 */
export function reviewOfOwner(
  { pendingReview, fold }: FoldState,
  revertible: readonly StepRef[],
): readonly Change[] {
  if (pendingReview === null) return [];
  const known = new Set(revertible.map(({ callId, step }) => `${callId} ${step}`));
  const lost = new Set(
    (fold.turn?.undo.undo.calls ?? [])
      .filter(({ callId, steps }) =>
        steps.some(
          ({ step, state, data }) =>
            state !== 'reverted' && (data === undefined || !known.has(`${callId} ${step}`)),
        ),
      )
      .map(({ callId }) => callId),
  );
  const effects = pendingReview.effects.map(({ lost: _before, ...effect }): ReviewedEffect =>
    lost.has(effect.toolCallId) ? { ...effect, lost: true } : effect,
  );
  return [set(['pendingReview', 'effects'], effects)];
}
