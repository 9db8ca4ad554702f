import type { ToolCallView } from '@banister/session';
import type { ReviewedChange } from '../session/review.js';
import type { Columns } from './board.js';
import {
  markOfEffect,
  markOfReview,
  markOfTrace,
  stagedCards,
  type CardMark,
  type StagedCard,
} from './card-mark.js';
import type { CardTrace } from './card-traces.js';
import { ghostKeyOf, isGhost, pendingEffects, type PendingEffect } from './pending-effects.js';

/**
 * Everything that the board shows about the agent: what it is about to do, what it did, and what waits for
 * the user.
 */
export interface BoardMarks {
  readonly effects: readonly PendingEffect[];
  readonly deleted: readonly StagedCard[];
  /**
   * The `data-motion` name of the card that must be in sight: a card that a question is about, or else the
   * card that was announced last.
   */
  readonly inSight: string | null;
  /** Returns the changes of a card that wait for the review, oldest first. */
  stagedOn(cardId: string): readonly StagedCard[];
  /** Returns the announced effect of a call on a card. */
  effectOn(cardId: string): PendingEffect | undefined;
  markOfEffect(effect: PendingEffect): CardMark;
  /**
   * Returns the mark of a card: for a change that is about to happen, else for a change that waits for the
   * user, else for a change that happened.
   */
  markOf(cardId: string): CardMark | null;
}

interface MarkSources {
  readonly calls: readonly ToolCallView[];
  /** The ids of the calls that are being written: at most one of each turn. */
  readonly written: readonly string[];
  /** Ids of the calls that wait for the user's answer. The call whose question is unfolded comes first. */
  readonly asked: readonly string[];
  /** Ids of the calls that the user approved and that have not started. */
  readonly approved: readonly string[];
  readonly columns: Columns;
  readonly open: readonly ReviewedChange[] | null;
  readonly traces: ReadonlyMap<string, CardTrace>;
}

export function boardMarks(sources: MarkSources): BoardMarks {
  const { asked, approved, columns, open, traces } = sources;
  const effects = pendingEffects(sources.calls.map(completed(sources.written)), columns);
  const staged = stagedCards(open);
  const effectOn = (cardId: string) =>
    effects.find((effect) => 'cardId' in effect && effect.cardId === cardId);
  const questionOf = (callId: string) =>
    asked.includes(callId) ? 'asked' : approved.includes(callId) ? 'approved' : null;
  const ofEffect = (effect: PendingEffect) => markOfEffect(effect, questionOf(effect.callId));
  const stagedOn = (cardId: string) => staged.filter(({ card }) => card.id === cardId);
  const askedFirst = asked.flatMap((id) => effects.find(({ callId }) => callId === id) ?? [])[0];
  const shown = askedFirst ?? effects.at(-1);
  return {
    effects,
    deleted: staged.filter(({ card }) => card.kind === 'deleted'),
    inSight: shown ? motionKeyOf(shown) : null,
    effectOn,
    stagedOn,
    markOfEffect: ofEffect,
    markOf(cardId) {
      const effect = effectOn(cardId);
      // If a call is about to move a card, the mark is shown at the new place of the card.
      if (effect) return effect.type === 'move' ? null : ofEffect(effect);
      const waiting = stagedOn(cardId).at(-1);
      if (waiting) return markOfReview(waiting);
      const trace = traces.get(cardId);
      return trace ? markOfTrace(trace) : null;
    },
  };
}

/** If the answer continues after a call, the call is complete, even before its tool has started. */
function completed(written: readonly string[]): (call: ToolCallView) => ToolCallView {
  return (call) =>
    call.state === 'assembling' && !written.includes(call.id) ? { ...call, state: 'waiting' } : call;
}

function motionKeyOf(effect: PendingEffect): string {
  return isGhost(effect) ? ghostKeyOf(effect) : effect.cardId;
}
