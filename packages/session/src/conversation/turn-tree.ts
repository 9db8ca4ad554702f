import type { Message } from './message.js';
import type { TurnRecord } from './turn-record.js';

/** A turn off the path to the head. */
export interface AsideTurn {
  readonly turn: TurnRecord;
  /** The messages that the turn appended. */
  readonly messages: readonly Message[];
  /** Its 0-based place among all turns of the session, in order of start. */
  readonly place: number;
}

/** A point of the tree that is no turn, for example where the conversation was cleared. Its other fields depend on its kind. */
export interface Mark {
  readonly id: string;
  /** The turn or mark before it; null where there is none. */
  readonly parentId: string | null;
  readonly kind: string;
}

/**
 * Returns all turns in order of start.
 *
 * @param path the turns on the path to the head
 * @param aside the others, in order of start
 */
export function allTurns(path: readonly TurnRecord[], aside: readonly AsideTurn[]): readonly TurnRecord[] {
  const all: TurnRecord[] = [];
  let next = 0;
  for (const { turn, place } of aside) {
    while (all.length < place && next < path.length) all.push(path[next++]!);
    all.push(turn);
  }
  return [...all, ...path.slice(next)];
}

/** Returns the turns on the path to a turn or mark, the first one first; undefined when there is no such turn or mark. */
export function pathTo(
  head: string | null,
  turns: readonly TurnRecord[],
  marks: readonly Mark[],
): readonly TurnRecord[] | undefined {
  const nodes = new Map<string, TurnRecord | Mark>([...marks, ...turns].map((node) => [node.id, node]));
  const path: TurnRecord[] = [];
  for (let id = head; id !== null;) {
    const node = nodes.get(id);
    if (node === undefined) return undefined;
    // Each node is met once, so that a cycle in a damaged log ends the walk.
    nodes.delete(id);
    if (!('kind' in node)) path.push(node);
    id = node.parentId;
  }
  return path.reverse();
}
