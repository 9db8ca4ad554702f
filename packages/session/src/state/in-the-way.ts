import { meet, pathsAbove, touchedBy, type Touched } from '../conversation/effect-place.js';
import { domainOf } from '../conversation/tool-id.js';
import type { CallEffects, EffectStepData } from '../conversation/turn-undo.js';
import { canBeUndone } from './undo-entries.js';
import type { UndoTurn } from './session-state.js';

/** Returns the calls of a turn that recorded an effect. */
export type CallsOf = (turnId: string) => readonly CallEffects[];

type IsMeant = (step: EffectStepData) => boolean;

export const isInPlace: IsMeant = ({ state }) => state !== 'reverted';
export const isAny: IsMeant = () => true;

/** Returns the entries, each with the turns in its way. */
export function withWays(entries: readonly UndoTurn[], calls: CallsOf): readonly UndoTurn[] {
  return entries.map((entry, index) => withWay(entry, nearestOf(entries, index, calls)));
}

/** Returns the nearest turns in the way of a turn. A turn is left out if it is in the way of another turn in the result. */
export function nearestOf(entries: readonly UndoTurn[], index: number, calls: CallsOf): readonly string[] {
  const turn = entries[index]!;
  const own = calls(turn.turnId);
  const isMeant = meantBy(turn);
  const found: string[] = [];
  for (const { turnId } of candidates(entries, index)) {
    const isFound =
      touchSame(own, calls(turnId), isMeant) &&
      !found.some((id) => touchSame(calls(id), calls(turnId), isMeant));
    if (!isFound) continue;
    found.push(turnId);
    // All further turns that touch the same parts are in the way of a found turn.
    if (isCovered(own, found.map(calls), isMeant)) break;
  }
  return found;
}

/**
 * Returns the turns that may be in the way of a turn, nearest first. These are the later turns in force. For a redo they also include the
 * earlier turns that the user undid after it, because this turn began with their effects.
 */
export function candidates(entries: readonly UndoTurn[], index: number): readonly UndoTurn[] {
  const { state, by } = entries[index]!;
  // A branch command took this turn back, so `redo` never makes it again.
  if (state === 'undone' && by !== undefined) return [];
  const later = entries.slice(index + 1).filter(canBeUndone);
  if (state !== 'undone') return later;
  const earlier = entries.slice(0, index).filter((entry) => entry.state === 'undone' && !entry.by);
  return [...earlier.toReversed(), ...later];
}

/** Returns which effects count: for an undo only effects in place, for a redo all effects. */
export function meantBy({ state }: UndoTurn): IsMeant {
  return state === 'undone' ? isAny : isInPlace;
}

export function withWay(entry: UndoTurn, inTheWay: readonly string[]): UndoTurn {
  const { inTheWay: before = [], ...rest } = entry;
  if (before.join() === inTheWay.join()) return entry;
  return inTheWay.length === 0 ? rest : { ...entry, inTheWay };
}

export function touchSame(
  calls: readonly CallEffects[],
  others: readonly CallEffects[],
  isMeant: IsMeant,
): boolean {
  return meet(touchedIn(calls, isMeant), touchedIn(others, isMeant));
}

/**
 * Returns true if calls touch exactly the same parts as others. Then any turn that touches a part of the calls also touches a part of the
 * others.
 */
export function touchEqual(
  calls: readonly CallEffects[],
  others: readonly CallEffects[],
  isMeant: IsMeant,
): boolean {
  const { paths } = touchedIn(calls, isMeant);
  const { paths: otherPaths } = touchedIn(others, isMeant);
  return paths.size > 0 && paths.size === otherPaths.size && [...paths].every((path) => otherPaths.has(path));
}

/** Returns true if each part that the calls touch is a part that the others touch, or lies inside one. */
function isCovered(
  calls: readonly CallEffects[],
  others: readonly (readonly CallEffects[])[],
  isMeant: IsMeant,
): boolean {
  const wholes = others.map((other) => touchedIn(other, isMeant));
  return [...touchedIn(calls, isMeant).paths].every((path) => {
    const above = pathsAbove(path);
    return wholes.some(({ paths }) => above.some((one) => paths.has(one)));
  });
}

/** The parts that all effects of a list of calls touch, and the number of these effects, because the list may grow while its turn runs. */
const known = new WeakMap<readonly CallEffects[], { readonly touched: Touched; readonly count: number }>();

function touchedIn(calls: readonly CallEffects[], isMeant: IsMeant): Touched {
  let count = 0;
  let isWhole = true;
  for (const { steps } of calls) {
    count += steps.length;
    for (const step of steps) isWhole &&= isMeant(step);
  }
  const before = isWhole ? known.get(calls) : undefined;
  if (before?.count === count) return before.touched;
  const touched = touchedBy(
    calls.flatMap(({ tool, steps }) =>
      steps.filter(isMeant).map(({ paths }) => ({ domain: domainOf(tool), paths })),
    ),
  );
  if (isWhole) known.set(calls, { touched, count });
  return touched;
}
