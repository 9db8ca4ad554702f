import type { Message, UsageReport } from '@banister/provider';
import type { Compaction, KeptCompaction } from './compaction.js';
import type { TurnRecord } from './turn-record.js';

/** A turn off the path to the head. */
export interface AsideTurn {
  readonly turn: TurnRecord;
  /** The messages that the turn appended. */
  readonly messages: readonly Message[];
  /** Its 0-based index among all turns of the session, in order of start. */
  readonly place: number;
}

/** A node of the tree that is not a turn, for example a clear of the conversation. Its other fields depend on its kind. */
export interface Mark {
  readonly id: string;
  /** The turn or mark before it; null if there is none. */
  readonly parentId: string | null;
  readonly kind: string;
  /** Usage that belongs to no turn. */
  readonly usage?: UsageReport;
}

/**
 * Returns all turns in order of start.
 *
 * @param path the turns on the path to the head
 * @param aside the other turns, in order of start
 */
export function allTurns(path: readonly TurnRecord[], aside: readonly AsideTurn[]): readonly TurnRecord[] {
  const all: TurnRecord[] = [];
  let next = 0;
  for (const { turn, place } of aside) {
    while (all.length < place && next < path.length) all.push(path[next++]!);
    all.push(turn);
  }
  while (next < path.length) all.push(path[next++]!);
  return all;
}

/** Returns an ended turn, on the path or off it; null for an unknown turn. */
export function endedTurn(
  id: string,
  {
    turns,
    fold,
  }: { readonly turns: readonly TurnRecord[]; readonly fold: { readonly aside: readonly AsideTurn[] } },
): TurnRecord | null {
  return allTurns(turns, fold.aside).findLast((turn) => turn.id === id) ?? null;
}

/** The kind of the mark of a clear: the path to later turns begins at it. */
export const CLEARED = 'clear';

/** The kind of the mark of a compaction after a turn. */
export const COMPACTED = 'compaction';

/** The mark of a compaction after a turn. */
export interface CompactionMark extends Mark, KeptCompaction {
  readonly kind: typeof COMPACTED;
}

export function isCompactionMark(mark: Mark): mark is CompactionMark {
  return mark.kind === COMPACTED;
}

/** The path to a turn or mark. */
export interface TreePath {
  /** The turns of the path, first turn first. */
  readonly turns: TurnRecord[];
  /** Whether the path begins at a clear. Then the messages before the first turn are not on it. */
  readonly isCleared: boolean;
  /** The marks of compactions on the path, oldest first, without marks that were taken back. */
  readonly compactions: readonly Compaction[];
}

/** Returns the path to a turn or mark; undefined if there is no such turn or mark. */
export function pathTo(
  head: string | null,
  turns: readonly TurnRecord[],
  marks: readonly Mark[],
): TreePath | undefined {
  const records = new Map(turns.map((turn) => [turn.id, turn]));
  const others = new Map(marks.map((mark) => [mark.id, mark]));
  const path: TurnRecord[] = [];
  const compactions: KeptCompaction[] = [];
  const found = (isCleared: boolean): TreePath => ({
    turns: path.reverse(),
    isCleared,
    compactions: compactions.filter(({ takenBack }) => !takenBack).reverse(),
  });
  for (let id = head; id !== null;) {
    const turn = records.get(id);
    const mark = turn ? undefined : others.get(id);
    // Each node is deleted when it is reached, so that a cycle in a damaged log ends the loop.
    if (turn) {
      records.delete(id);
      path.push(turn);
      compactions.push(...(turn.compactions?.toReversed() ?? []));
      id = turn.parentId;
    } else if (mark) {
      others.delete(id);
      if (mark.kind === CLEARED) return found(true);
      if (isCompactionMark(mark)) compactions.push(compactionIn(mark));
      id = mark.parentId;
    } else return undefined;
  }
  return found(false);
}

/** Returns the content of a mark of the tree, in the form in which the record of a turn keeps it. */
function compactionIn({ kind: _kind, parentId: _parent, ...compaction }: CompactionMark): KeptCompaction {
  return compaction;
}
