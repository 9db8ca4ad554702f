import type { ToolCallView, TurnRecord } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import type { Review, ReviewedChange } from './review.js';

const none: ReadonlySignal<ReviewedChange | null> = signal(null);
const known = new WeakMap<ToolCallView, ReadonlySignal<ReviewedChange | null>>();

/** Returns the open decision about a call. For a call of an ended turn, the signal is constant. */
export function reviewedCall(
  { open }: Pick<Review, 'open'>,
  call: ToolCallView,
  { outcome }: Pick<TurnRecord, 'outcome'>,
): ReadonlySignal<ReviewedChange | null> {
  if (outcome !== null || call.state !== 'settled') return none;
  let change = known.get(call);
  if (!change) {
    change = computed(() => open.value?.find(({ toolCallId }) => toolCallId === call.id) ?? null);
    known.set(call, change);
  }
  return change;
}

/** A change under review, as its row shows it. */
export interface ReviewWords {
  /** null for a change of several cards, because the title says everything. */
  readonly before: string | null;
  readonly after: string | null;
  /** Whether there was a value before. */
  readonly hadValue: boolean;
  readonly takeBackLabel: string;
  readonly keepLabel: string;
  /** The changes that are undone together with it, in words; null if there are none. */
  readonly goesWith: string | null;
}

export function reviewWords({ title, cards, before, after, goesWith }: ReviewedChange): ReviewWords {
  const isOne = cards.length === 1;
  return {
    before: isOne ? (before ?? 'Nothing') : null,
    after: isOne ? (after ?? 'gone') : null,
    hadValue: before !== null,
    takeBackLabel: `Take back ${title}`,
    keepLabel: `Keep ${title}`,
    goesWith: goesWith === null ? null : `Taken back with it: ${goesWith}`,
  };
}
