import { callsOf, type RoundRecord } from '../conversation/turn-record.js';
import type { FoldState } from './session-state.js';
import { findTurn } from './tree.js';

/**
 * Returns a function that returns the 0-based place of a call's effects among the effects of its turn; -1 for an unknown call. Effects are
 * listed and made again in this order, and taken back in reverse. It is the order of the calls in the rounds, because calls that run at the
 * same time may record their effects in another order.
 *
 * The calls of a round are indexed once, when the first of them is looked up or a later round has begun.
 */
export function effectPlaces(current: () => FoldState, turnId: string): (callId: string) => number {
  const places = new Map<string, number>();
  /** The number of rounds before the last indexed round, and the number of their calls. */
  let rounds = 0;
  let calls = 0;
  const index = (round: RoundRecord | undefined) => {
    const found = callsOf(round);
    found.forEach(({ id }, place) => places.set(id, calls + place));
    return found.length;
  };
  return (callId) => {
    if (!places.has(callId)) {
      const all = findTurn(current(), turnId)?.turn.rounds ?? [];
      while (rounds < all.length - 1) calls += index(all[rounds++]);
      index(all[rounds]);
    }
    return places.get(callId) ?? -1;
  };
}

/** Returns items in the order of effects: see {@link effectPlaces}. */
export function inEffectOrder<Item>(
  state: FoldState,
  turnId: string,
  items: readonly Item[],
  idOf: (item: Item) => string,
): readonly Item[] {
  const placeOf = effectPlaces(() => state, turnId);
  return items.toSorted((a, b) => placeOf(idOf(a)) - placeOf(idOf(b)));
}
