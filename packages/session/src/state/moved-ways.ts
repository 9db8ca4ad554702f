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

// A file of its own, because the first chunk of a page with a saved conversation needs only `in-the-way.ts`.

/**
 * Returns all turns in the way of a turn's undo, or of its redo if it is undone, including the turns in the way of those turns. The order
 * is the order in which they have to be undone, or made again.
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

/**
 * Returns the entries after a turn was undone or redone, or got another effect. Updates the turns in the way of this turn, and of the turns
 * that touch the same parts.
 */
export function afterMove(entries: readonly UndoTurn[], turnId: string, calls: CallsOf): readonly UndoTurn[] {
  const moved = calls(turnId);
  return entries.map((entry, index) =>
    entry.turnId === turnId || touchSame(calls(entry.turnId), moved, isAny)
      ? withWay(entry, nearestOf(entries, index, calls))
      : entry,
  );
}

/**
 * Returns the indexes of the entries that must list the turn that is committed now. An entry is left out if it lists a nearer turn in whose
 * way the committed turn is.
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
    // Every earlier entry that touches the same parts lists this entry, or another turn that touches these parts.
    if (touchEqual(own, added, isInPlace)) break;
  }
  return places.toReversed();
}

/** Returns the entries after the turns `gone` can no longer be made again. Undone turns that need such a turn are closed for redo too. */
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

/** Returns true if a turn has an effect in a domain. */
export function touches(calls: readonly CallEffects[], domain: string): boolean {
  return calls.some(({ tool }) => domainOf(tool) === domain);
}
