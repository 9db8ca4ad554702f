import type { CallQuestion } from '../session/question-about.js';
import type { ReviewedCard, ReviewedChange } from '../session/review.js';
import type { IconName } from '../view/icons.js';
import type { CardTrace } from './card-traces.js';
import type { PendingEffect } from './pending-effects.js';

/** The state of a card that the agent changes or changed. The rail has the same states. */
export interface CardMark {
  readonly state: 'writing' | 'ready' | 'waiting' | 'running' | 'done' | 'staged' | 'undone';
  readonly icon: IconName;
  readonly words: string;
}

/** A change of a card that waits for the user's review. */
export interface StagedCard {
  readonly change: ReviewedChange;
  readonly card: ReviewedCard;
}

const verbs: Readonly<Record<PendingEffect['type'], readonly [asked: string, running: string]>> = {
  add: ['Add?', 'Adding…'],
  move: ['Move?', 'Moving…'],
  edit: ['Edit?', 'Editing…'],
  delete: ['Delete?', 'Deleting…'],
};

/** @param question the state of the question about the call */
export function markOfEffect({ type, stage }: PendingEffect, question: CallQuestion): CardMark {
  const [asked, running] = verbs[type];
  if (question === 'asked') return { state: 'waiting', icon: 'waiting', words: asked };
  if (stage === 'assembling') return { state: 'writing', icon: 'writing', words: 'Writing' };
  if (stage === 'waiting')
    return { state: 'ready', icon: 'waits', words: question === 'approved' ? 'Approved' : 'Ready' };
  return { state: 'running', icon: 'running', words: running };
}

export function markOfTrace({ state, words }: CardTrace): CardMark {
  return { state, icon: state === 'done' ? 'done' : 'undo', words };
}

export function markOfReview({ card }: StagedCard): CardMark {
  return { state: 'staged', icon: 'staged', words: card.words };
}

/** Returns the changes of cards under review, in the order in which they were made. */
export function stagedCards(open: readonly ReviewedChange[] | null): readonly StagedCard[] {
  return (open ?? []).flatMap((change) => change.cards.map((card) => ({ change, card })));
}
