import { callsOf, type ChildTurn, type TurnRecord } from './turn-record.js';

/** Returns the child turns of the calls of a turn in call order, without the child turns inside them. */
export function ownChildrenOf({ rounds }: Pick<TurnRecord, 'rounds'>): readonly ChildTurn[] {
  return rounds.flatMap(callsOf).flatMap(({ children = [] }) => children);
}

/** Returns the child turns of a turn, at all depths, in call order; after each child turn its own child turns. */
export function childrenOf(turn: Pick<TurnRecord, 'rounds'>): readonly ChildTurn[] {
  return ownChildrenOf(turn).flatMap((child) => [child, ...childrenOf(child)]);
}

/**
 * Returns a child turn of a turn on the path, or of the running turn; undefined if there is none with this id.
 *
 * @param state the state of a session, or its turns
 */
export function findChild(
  { turns, liveTurn }: { readonly turns: readonly TurnRecord[]; readonly liveTurn: TurnRecord | null },
  id: string,
): ChildTurn | undefined {
  // The newest turn first, because the running turn is asked about most often.
  const all = liveTurn === null ? turns : [...turns, liveTurn];
  for (let at = all.length; at-- > 0;) {
    const found = childrenOf(all[at]!).find((child) => child.id === id);
    if (found !== undefined) return found;
  }
  return undefined;
}
