import { callsOf, type RoundRecord } from '../conversation/turn-record.js';
import type { FoldState } from './session-state.js';
import { findTurn } from './tree.js';
import { effectsOf } from './undo-notes.js';

/**
 * Returns a function that returns the 0-based place of a call's effects among the effects of its turn; -1 for an unknown call. Effects are
 * listed and made again in this order, and taken back in reverse. It is the order of the calls in the rounds, because calls that run at the
 * same time may record their effects in another order. In a turn with child turns it is the order of the first effects of the calls, because
 * the calls of agents that work side by side have no other order.
 *
 * The calls of a round are indexed once, when the first of them is looked up or a later round has begun.
 */
export function effectPlaces(current: () => FoldState, turnId: string): (callId: string) => number {
  const places = new Map<string, number>();
  /** The number of rounds before the last indexed round, and the number of their calls. */
  let rounds = 0;
  let calls = 0;
  /** The number of the turn's own calls when the first child turn was found: the places before it are those that calls have already. */
  let start: number | undefined;
  const index = (round: RoundRecord | undefined) => {
    const found = callsOf(round);
    found.forEach(({ id }, place) => places.set(id, calls + place));
    return found.length;
  };
  return (callId) => {
    const all = findTurn(current(), turnId)?.turn.rounds ?? [];
    if (start === undefined && all.slice(rounds).some(hasChildren)) start = all.flatMap(callsOf).length;
    if (start !== undefined) {
      const place = effectsOf(current(), turnId).findIndex((call) => call.callId === callId);
      return place < 0 ? place : start + place;
    }
    if (!places.has(callId)) {
      while (rounds < all.length - 1) calls += index(all[rounds++]);
      index(all[rounds]);
    }
    return places.get(callId) ?? -1;
  };
}

function hasChildren(round: RoundRecord): boolean {
  return callsOf(round).some(({ children }) => children !== undefined);
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
