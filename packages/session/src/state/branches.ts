import { isSetAside, type TurnRecord } from '../conversation/turn-record.js';

/** The position of a turn among its siblings: the turns that follow the same turn. */
export interface Branch {
  /** 1-based: the second of three siblings has position 2. */
  readonly position: number;
  /** The ids of the siblings, including the turn itself, in order of start. */
  readonly ids: readonly string[];
}

/** The turns with siblings, by id. A turn without siblings has no entry. */
export type Branches = Readonly<Record<string, Branch>>;

/**
 * Returns the branches of turns. A `generate` that ended without its output is not a branch.
 *
 * @param turns in order of start
 */
export function branchesOf(
  turns: readonly (Pick<TurnRecord, 'id' | 'parentId'> & Partial<TurnRecord>)[],
): Branches {
  const families = new Map<string | null, string[]>();
  for (const turn of turns) {
    if (isSetAside(turn)) continue;
    const { id, parentId } = turn;
    const ids = families.get(parentId);
    if (ids === undefined) families.set(parentId, [id]);
    else ids.push(id);
  }
  return Object.fromEntries(
    [...families.values()]
      .filter(({ length }) => length > 1)
      .flatMap((ids) => ids.map((id, index) => [id, { position: index + 1, ids }])),
  );
}
