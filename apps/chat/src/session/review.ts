import type { AgentSession, PendingReview } from '@banister/session';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import { changedParts, editInWords } from '../board/card-details.js';
import { cardStateIn, type CardState } from '../board/card-state.js';

type ReviewedEffect = PendingReview['effects'][number];

/** One card that a reviewed call changed. */
export interface ReviewedCard {
  readonly id: string;
  readonly kind: 'added' | 'renamed' | 'edited' | 'moved' | 'deleted';
  /** The current title; for a deleted card, its last title. */
  readonly title: string;
  /** The change of the card in words, for its mark: `Added`, `Renamed`, `Edited`, `Moved from Todo`, `Deleted`. */
  readonly words: string;
  /**
   * The value before the change, in words: a title, or the title of a column. null if the card did not exist
   * before, or was deleted.
   */
  readonly before: string | null;
  readonly after: string | null;
  /** The card before the change; null if it was added. */
  readonly was: CardState | null;
}

/** One call under review, with everything that it changed. It is kept or undone as a whole. */
export interface ReviewedChange {
  readonly toolCallId: string;
  /** The title of the card, for the names of buttons; if there are several cards, their number. */
  readonly title: string;
  readonly words: string;
  /** Describes the call for the user: `Moved “Plan” to Doing`. */
  readonly description: string;
  /** As for a single card; null if there are several cards. */
  readonly before: string | null;
  readonly after: string | null;
  readonly cards: readonly ReviewedCard[];
  readonly cardIds: readonly string[];
  /** Ids of the calls that are undone together with this call. */
  readonly dependents: readonly string[];
  /**
   * The open changes that are undone together with this change, in words for the user; null if there are
   * none.
   */
  readonly goesWith: string | null;
  /** Why it could not be undone; null if no attempt was made, or if it succeeded. */
  readonly conflict: string | null;
  /** Whether this page can undo it at all. */
  readonly canTakeBack: boolean;
}

/** The review of a turn. Its changes are on the board already, and become final when the user keeps them. */
export interface Review {
  /** The changes without a decision, in the order of their calls; null if no review is open. */
  readonly open: ReadonlySignal<readonly ReviewedChange[] | null>;
  /** @param ids the ids of the calls. Default: all open calls */
  keep(ids?: readonly string[]): Promise<void>;
  /**
   * Undoes calls, together with calls that depend on them. A call that cannot be undone stays open, with
   * `conflict`.
   */
  takeBack(ids?: readonly string[]): Promise<void>;
}

export function createReview(session: ReadonlySignal<AgentSession>): Review {
  const open = computed(() => {
    const effects = session.value.pendingReview.value?.effects ?? [];
    return effects.length === 0 ? null : effects.map((effect) => changeOf(effect, effects));
  });
  return {
    open,
    keep: (ids) => decided(session.peek().accept(ids)),
    takeBack: (ids) => decided(session.peek().reject(ids)),
  };
}

/** The turn shows why it failed, and the mark in the bar shows why it was not saved. */
async function decided(decision: Promise<unknown>): Promise<void> {
  await decision.catch(() => {});
}

function changeOf(effect: ReviewedEffect, open: readonly ReviewedEffect[]): ReviewedChange {
  const { toolCallId, description, dependents, conflict = null, lost = false } = effect;
  const cards = effect.changes.flatMap(cardsOf);
  const [first, second] = cards;
  const only = second === undefined ? first : undefined;
  const others = open.filter((other) => dependents.includes(other.toolCallId));
  return {
    toolCallId,
    title: only?.title ?? (first ? `${cards.length} cards` : description),
    words: first?.words ?? 'Changed',
    description,
    before: only?.before ?? null,
    after: only?.after ?? null,
    cards,
    cardIds: [...new Set(cards.map(({ id }) => id))],
    dependents,
    goesWith: others.length === 0 ? null : others.map((other) => other.description).join(', '),
    conflict,
    canTakeBack: !lost,
  };
}

function cardsOf({ before, after }: ReviewedEffect['changes'][number]): readonly ReviewedCard[] {
  const [was, is] = [cardStateIn(before), cardStateIn(after)];
  if (was === null)
    return is ? [cardOf(is, was, { kind: 'added', words: 'Added', before: null, after: is.column })] : [];
  if (is === null)
    return [cardOf(was, was, { kind: 'deleted', words: 'Deleted', before: was.column, after: null })];
  if (was.column !== is.column)
    return [
      cardOf(is, was, {
        kind: 'moved',
        words: `Moved from ${was.column}`,
        before: was.column,
        after: is.column,
      }),
    ];
  const isRenamed = was.title !== is.title && changedParts(was, is).length === 1;
  return [
    cardOf(is, was, {
      kind: isRenamed ? 'renamed' : 'edited',
      words: isRenamed ? 'Renamed' : 'Edited',
      before: was.title,
      after: is.title,
      ...editInWords(was, is),
    }),
  ];
}

function cardOf(
  { id, title }: CardState,
  was: CardState | null,
  change: Pick<ReviewedCard, 'kind' | 'words' | 'before' | 'after'>,
): ReviewedCard {
  return { id, title, was, ...change };
}
