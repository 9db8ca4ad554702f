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

/** Returns the entries with the turns in the way of each. */
export function withWays(entries: readonly UndoTurn[], calls: CallsOf): readonly UndoTurn[] {
  return entries.map((entry, index) => withWay(entry, nearestOf(entries, index, calls)));
}

/** Returns the nearest turns in the way: not those that are in the way of one that is listed. */
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
    // All further turns that touch the same are in the way of one that is found.
    if (isCovered(own, found.map(calls), isMeant)) break;
  }
  return found;
}

/**
 * Returns the turns that may be in the way of one, nearest first: the later ones in force; for a redo also the earlier ones that the user
 * undid after it, which made the state that it began with.
 */
export function candidates(entries: readonly UndoTurn[], index: number): readonly UndoTurn[] {
  const { state, by } = entries[index]!;
  // `redo` never makes it again.
  if (state === 'undone' && by !== undefined) return [];
  const later = entries.slice(index + 1).filter(canBeUndone);
  if (state !== 'undone') return later;
  const earlier = entries.slice(0, index).filter((entry) => entry.state === 'undone' && !entry.by);
  return [...earlier.toReversed(), ...later];
}

/** An effect that was taken back is in the way of no undo. */
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

/** Whether calls touch exactly the parts that others touch: a turn that touches the same as the ones does so with the others. */
export function touchEqual(
  calls: readonly CallEffects[],
  others: readonly CallEffects[],
  isMeant: IsMeant,
): boolean {
  const { paths } = touchedIn(calls, isMeant);
  const { paths: otherPaths } = touchedIn(others, isMeant);
  return paths.size > 0 && paths.size === otherPaths.size && [...paths].every((path) => otherPaths.has(path));
}

/** Whether each part that calls touch is, or lies in, one that others touch. */
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

/** The parts that all effects of calls touch, with the number of the effects: a list may grow while its turn runs. */
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
