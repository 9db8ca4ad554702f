import type { AgentSession, Operation } from '@banister/session';
import { signal } from '@banister/session/signals';
import { changedParts } from '../board/card-details.js';
import { cardIdOf, type BoardChange } from '../board/board-change.js';
import type { BoardStore, ChangeKind } from '../board/board-store.js';

/** A card that an undo left as the user had edited it. */
export interface YourEdit {
  /** The id of the card. */
  readonly card: string;
  /** Describes the card and the edit: “Fix search on mobile”, which you moved. */
  readonly text: string;
}

/** The user's edits after each turn began, as this page saw them, for the receipts. */
export interface YourEdits {
  /** Follows the turns of a session from here on. */
  follow(session: Pick<AgentSession, 'operations$'>): void;
  /**
   * Returns the cards that the user edited after a turn began and that the turn's last undo or rollback did
   * not change; empty before that. Reads a signal.
   */
  leftBy(turnId: string): readonly YourEdit[];
}

interface SeenChange {
  readonly change: BoardChange;
  readonly kind: ChangeKind;
}

const none: readonly YourEdit[] = [];

export function createYourEdits(board: BoardStore): YourEdits {
  const seen: SeenChange[] = [];
  board.watch((change, kind) => void seen.push({ change, kind }));
  /**
   * The number of changes that this page had seen when a turn began. A turn of an earlier page began before
   * all of them.
   */
  const starts = new Map<string, number>();
  const left = signal<ReadonlyMap<string, readonly YourEdit[]>>(new Map());

  const keep = (turnId: string): void => {
    const edits = editsIn(seen.slice(starts.get(turnId) ?? 0), board);
    if (edits.length > 0 || left.peek().has(turnId)) left.value = new Map(left.peek()).set(turnId, edits);
  };

  return {
    follow({ operations$ }) {
      operations$.subscribe((operation) => {
        if (operation.type === 'turnStarted') starts.set(operation.turnId, seen.length);
        else if (operation.type === 'undone') keep(operation.target);
        else if (isRolledBack(operation)) keep(operation.turnId);
      });
    },
    leftBy: (turnId) => left.value.get(turnId) ?? none,
  };
}

function isRolledBack(
  operation: Operation,
): operation is Extract<Operation, { type: 'cancelled' | 'failed' }> {
  return (operation.type === 'cancelled' || operation.type === 'failed') && operation.report !== null;
}

/** If the agent or an undo changed a card after the user's last edit, the card is left out. */
function editsIn(seen: readonly SeenChange[], board: BoardStore): readonly YourEdit[] {
  const byCard = new Map<string, BoardChange>();
  for (const { change, kind } of seen) {
    const id = cardIdOf(change);
    const first = byCard.get(id);
    byCard.delete(id);
    if (kind === 'user') byCard.set(id, { from: first ? first.from : change.from, to: change.to });
  }
  return [...byCard].flatMap(([card, edit]) => {
    const how = editWords(edit);
    const title = board.find(card)?.card.title ?? '';
    return how === null ? [] : [{ card, text: `“${title}”, which you ${how}` }];
  });
}

/** Returns null for an edit that the user undid, and for a deleted card. */
function editWords({ from, to }: BoardChange): string | null {
  if (to === null) return null;
  if (from === null) return 'added';
  const isMoved = from.place.column !== to.place.column || from.place.index !== to.place.index;
  const parts = changedParts(from.card, to.card);
  const words = [
    ...(parts.includes('title') ? ['renamed'] : []),
    ...(parts.some((part) => part !== 'title') ? ['edited'] : []),
    ...(isMoved ? ['moved'] : []),
  ];
  return words.length === 0 ? null : words.join(' and ');
}
