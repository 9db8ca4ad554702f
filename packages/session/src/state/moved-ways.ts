import { domainOf } from '../conversation/tool-id.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import {
  candidates,
  isAny,
  isInPlace,
  meantBy,
  nearestOf,
  touchEqual,
  touchSame,
  withWay,
  type CallsOf,
} from './in-the-way.js';
import type { UndoTurn } from './session-state.js';
import { canBeUndone } from './undo-entries.js';

// Apart from the rest, which the first chunk of a page needs for a saved conversation.

/**
 * Returns the turns in the way of the undo of a turn, or of its redo where it is undone, in the order in which they have to be undone, or
 * made again: with those that are in the way of one of them.
 */
export function turnsInTheWay(
  entries: readonly UndoTurn[],
  turnId: string,
  calls: CallsOf,
): readonly string[] {
  const index = entries.findIndex((entry) => entry.turnId === turnId);
  if (index < 0) return [];
  const isMeant = meantBy(entries[index]!);
  const found = [turnId];
  for (const other of candidates(entries, index))
    if (found.some((id) => touchSame(calls(id), calls(other.turnId), isMeant))) found.push(other.turnId);
  return found.slice(1).toReversed();
}

/** Returns the entries after a turn was undone or redone, or got another effect: with the turns in the way of it, and of those that it touches. */
export function afterMove(entries: readonly UndoTurn[], turnId: string, calls: CallsOf): readonly UndoTurn[] {
  const moved = calls(turnId);
  return entries.map((entry, index) =>
    entry.turnId === turnId || touchSame(calls(entry.turnId), moved, isAny)
      ? withWay(entry, nearestOf(entries, index, calls))
      : entry,
  );
}

/**
 * Returns the places of the entries in whose way a turn is that was committed now, after all of them: not of those for which a nearer turn
 * is listed whose way it is in.
 */
export function inWayOf(entries: readonly UndoTurn[], turnId: string, calls: CallsOf): readonly number[] {
  const added = calls(turnId);
  const places: number[] = [];
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]!;
    if (!canBeUndone(entry)) continue;
    const own = calls(entry.turnId);
    const isInWay =
      touchSame(own, added, isInPlace) &&
      !entry.inTheWay?.some((id) => touchSame(calls(id), added, isInPlace));
    if (isInWay) places.push(index);
    // All earlier entries that touch the same list this one, or a turn that touches the same as well.
    if (touchEqual(own, added, isInPlace)) break;
  }
  return places.toReversed();
}

/** Returns the entries with those closed for redo that cannot be made again without a turn that can no longer be made again. */
export function withoutRedoOf(
  entries: readonly UndoTurn[],
  gone: ReadonlySet<string>,
  calls: CallsOf,
): readonly UndoTurn[] {
  const closed = new Set<string>();
  return entries.map((entry) => {
    const { turnId } = entry;
    const isClosed =
      gone.has(turnId) ||
      (entry.state === 'undone' && [...closed].some((id) => touchSame(calls(id), calls(turnId), isAny)));
    if (isClosed) closed.add(turnId);
    return isClosed && entry.redoable ? { ...entry, redoable: false } : entry;
  });
}

/** Whether a turn has an effect in a domain. */
export function touches(calls: readonly CallEffects[], domain: string): boolean {
  return calls.some(({ tool }) => domainOf(tool) === domain);
}
