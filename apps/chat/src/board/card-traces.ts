import { effect, type AgentSession } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import { columnTitle, type Columns } from './board.js';
import { changedParts, detailTitles } from './card-details.js';
import { cardIdOf, type BoardChange } from './board-change.js';
import type { BoardStore, ChangeKind } from './board-store.js';

/** Words beside a card about its last change by the agent or by an undo. */
export interface CardTrace {
  /** `done`: in effect, shown until the next turn. `undone`: shown until the next input of the user. */
  readonly state: 'done' | 'undone';
  readonly words: string;
}

/** The traces, by the id of the card. */
export type Traces = ReadonlyMap<string, CardTrace>;

export interface CardTraces {
  readonly all: ReadonlySignal<Traces>;
  /** Removes the undone traces that `seen` contains, when the user does something else. Newer traces stay. */
  forgetUndone(seen: Traces): void;
}

/**
 * Remembers which cards the agent has changed in the current turn, and which cards an undo has changed back.
 */
export function createCardTraces(board: BoardStore, session: ReadonlySignal<AgentSession>): CardTraces {
  const all = signal<Traces>(new Map());
  board.watch((change, kind) => {
    all.value = withTrace(all.peek(), change, kind, board.columns.peek());
  });
  const turn = computed(() => session.value.liveTurn.value?.id ?? null);
  effect(() => {
    if (turn.value !== null) all.value = new Map();
  });
  return {
    all,
    forgetUndone(seen) {
      const left = [...all.peek()].filter(
        ([id, trace]) => trace.state !== 'undone' || seen.get(id) !== trace,
      );
      if (left.length < all.peek().size) all.value = new Map(left);
    },
  };
}

function withTrace(traces: Traces, change: BoardChange, kind: ChangeKind, columns: Columns): Traces {
  const id = cardIdOf(change);
  const next = new Map(traces);
  next.delete(id);
  if (kind === 'user' || change.to === null) return next;
  const state = kind === 'back' ? 'undone' : 'done';
  const isAdded = traces.get(id)?.words === addedWords && state === 'done';
  return next.set(id, { state, words: isAdded ? addedWords : wordsOf(change, state, columns) });
}

const addedWords = 'Added';

function wordsOf({ from, to }: BoardChange, state: CardTrace['state'], columns: Columns): string {
  const isBack = state === 'undone';
  if (from === null) return isBack ? 'Came back' : addedWords;
  if (from.place.column !== to?.place.column)
    return `${isBack ? 'Back' : 'Moved'} from ${columnTitle(columns, from.place.column)}`;
  const parts = changedParts(from.card, to!.card);
  if (parts.length > 1) return isBack ? 'Details are back' : 'Edited';
  const [part = 'title'] = parts;
  if (part === 'title') return isBack ? 'Name is back' : 'Renamed';
  return isBack ? `${detailTitles[part]} is back` : `New ${detailTitles[part].toLowerCase()}`;
}
