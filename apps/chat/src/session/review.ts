import type { AgentSession, PendingReview } from '@banister/session';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import { changedParts, editInWords } from '../board/card-details.js';
import { cardStateIn, type CardState } from '../board/card-state.js';

type ReviewedEffect = PendingReview['effects'][number];

/** One card that a reviewed call changed. */
export interface ReviewedCard {
  readonly id: string;
  readonly kind: 'added' | 'renamed' | 'edited' | 'moved' | 'deleted';
  /** The title as it is now; that of a deleted card as it was. */
  readonly title: string;
  /** The change of the card in words, for its mark: `Added`, `Renamed`, `Edited`, `Moved from Todo`, `Deleted`. */
  readonly words: string;
  /** The changed value in words: a title, or the title of a column. Null for a card that was not there before, or is not there any more. */
  readonly before: string | null;
  readonly after: string | null;
  /** The card before the change; null for one that was added. */
  readonly was: CardState | null;
}

/** One call under review, with everything that it changed. It is kept or taken back as a whole. */
export interface ReviewedChange {
  readonly toolCallId: string;
  /** The title of the card, for the names of buttons; of several cards, their number. */
  readonly title: string;
  readonly words: string;
  /** The call in words for the user: `Moved “Plan” to Doing`. */
  readonly description: string;
  /** As those of its card; of several cards, null. */
  readonly before: string | null;
  readonly after: string | null;
  readonly cards: readonly ReviewedCard[];
  readonly cardIds: readonly string[];
  /** Ids of the calls that are taken back with this one. */
  readonly dependents: readonly string[];
  /** The open changes that are taken back with this one, in words for the user; null where there is none. */
  readonly goesWith: string | null;
  /** Why it could not be taken back; null where that was not tried, or succeeded. */
  readonly conflict: string | null;
  /** Whether this page can take it back at all. */
  readonly canTakeBack: boolean;
}

/** The review of a turn: its changes are on the board, and final once the user keeps them. */
export interface Review {
  /** The changes without a decision, in the order of their calls; null while no review is open. */
  readonly open: ReadonlySignal<readonly ReviewedChange[] | null>;
  /** @param ids of the calls; all that are open by default */
  keep(ids?: readonly string[]): Promise<void>;
  /** Takes calls back, with those that depend on them. One that cannot be taken back stays open, with `conflict`. */
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

/** The turn shows why it failed, and the mark of the bar why it was not saved. */
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
