import type { UndoItem } from '../conversation/turn-record.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import { isAny, isInPlace, touchSame } from '../state/in-the-way.js';
import type { FoldState, UndoTurn } from '../state/session-state.js';
import { canBeUndone } from '../state/undo-entries.js';
import { callsIn, findUndo } from '../state/undo-notes.js';
import type { UndoStack } from './undo-stack.js';
import { itemOf } from './closure-history.js';

/** A turn whose effects a branch command takes back, or makes again. */
export interface PlannedStep {
  readonly direction: 'undo' | 'redo';
  readonly entry: UndoTurn;
  /**
   * The ids of the turns in its way that the plan leaves as they are, oldest first. These are later turns in force that touched the same
   * parts of the app. For a redo they also include earlier turns that have been undone or made again since. A step with turns in its way
   * moves nothing.
   */
  readonly inTheWay: readonly string[];
  /** Whether at least one effect of the turn can be moved. */
  readonly isPossible: boolean;
}

/**
 * Something that is in the way of a branch command: an item of `details.obstacles` of its error `conflict`. It is a type alias, because
 * TypeScript refuses a cast from JSON to an interface.
 */
export type BranchObstacle = Partial<UndoItem> & {
  readonly turnId: string;
  /**
   * `irreversible`, `lost`: this effect of the turn cannot be taken back. `revision`: the user has changed these domains since.
   * `not-redoable`: the effects of the turn cannot be made again. `in-the-way`: other turns, which stay as they are, touched the same parts
   * of the app after this turn.
   */
  readonly reason: 'irreversible' | 'lost' | 'revision' | 'not-redoable' | 'in-the-way';
  /** Present with the reason `revision`. */
  readonly domains?: readonly string[];
  /** Present with the reason `in-the-way`: the ids of these turns, oldest first. */
  readonly inTheWay?: readonly string[];
};

/**
 * Returns the steps of a branch command, in order: first the turns in force to take back, newest first, then the turns to make again,
 * oldest first. Throws `undo-failed` as `UndoStack.prepare` does.
 *
 * @param path the ids of the turns of the new path
 * @param effects `undo`: takes back the turns that leave the path. `follow`: takes back every turn off the new path, and makes again the
 *   turns on it that a branch command took back. `keep`: no step
 */
export function planOf(
  state: FoldState,
  path: ReadonlySet<string>,
  effects: 'undo' | 'follow' | 'keep',
  stack: UndoStack,
): readonly PlannedStep[] {
  if (effects === 'keep') return [];
  const isTakenBack = ({ turnId, state: own, offPath }: UndoTurn) =>
    own !== 'undone' && !path.has(turnId) && (effects === 'follow' || offPath === undefined);
  const undos = undoSteps(state, isTakenBack);
  return effects === 'undo' ? undos : [...undos, ...redoSteps(state, path, possibleSteps(undos), stack)];
}

/** Returns the steps that take turns back, newest first. A turn that stays is in the way of earlier turns that touched the same parts. */
function undoSteps(state: FoldState, isTakenBack: (entry: UndoTurn) => boolean): readonly PlannedStep[] {
  const waysOf = waysIn(state, isInPlace);
  const steps: PlannedStep[] = [];
  let standing: readonly UndoTurn[] = [];
  for (const entry of state.undoEntries.toReversed()) {
    const isPlanned = isTakenBack(entry);
    const inTheWay = isPlanned ? waysOf(entry, standing) : [];
    if (isPlanned) steps.push({ direction: 'undo', entry, inTheWay, isPossible: entry.undoable });
    if (canBeUndone(entry) && (!isPlanned || inTheWay.length > 0)) standing = [entry, ...standing];
  }
  return steps;
}

/**
 * Returns the steps that make turns of a path again, oldest first. A turn can only be made again if exactly the effects are in force with
 * which it began, and no newer effects.
 *
 * @param undos the steps before these
 */
function redoSteps(
  state: FoldState,
  path: ReadonlySet<string>,
  undos: readonly PlannedStep[],
  stack: UndoStack,
): readonly PlannedStep[] {
  const { undoEntries } = state;
  const waysOf = waysIn(state, isAny);
  const gone = new Set(undos.map(({ entry }) => entry));
  const isKept = (entry: UndoTurn) => entry.state !== 'undone' && !gone.has(entry);
  const inForce = new Set(undoEntries.filter(isKept));
  return undoEntries.flatMap((entry, index): readonly PlannedStep[] => {
    const { turnId, by } = entry;
    if (by !== 'branch' || !path.has(turnId)) return [];
    const unlikePath = new Set(findUndo(state, turnId)?.note.undo.unlikePath);
    const isOther = (other: UndoTurn) =>
      inForce.has(other) !== (path.has(other.turnId) !== unlikePath.has(other.turnId));
    const inTheWay = waysOf(entry, [
      ...undoEntries.slice(0, index).filter(isOther),
      ...undoEntries.slice(index + 1).filter((other) => isKept(other) && other.undoable),
    ]);
    const step: PlannedStep = { direction: 'redo', entry, inTheWay, isPossible: stack.isRedoable(turnId) };
    for (const { entry: again } of possibleSteps([step])) inForce.add(again);
    return [step];
  });
}

/** Returns a function that finds the turns whose effects name the same parts of the app as the effects of a given turn. */
function waysIn(state: FoldState, isMeant: typeof isAny) {
  const partsOf = namedPartsIn(state);
  return (entry: UndoTurn, others: readonly UndoTurn[]): readonly string[] => {
    const own = partsOf(entry);
    return others.filter((other) => touchSame(own, partsOf(other), isMeant)).map(idOf);
  };
}

/**
 * Returns a function that finds the effects of a turn that name parts of the app. Effects without named parts are left out: each of them
 * may have touched anything, and would block every branch command. The undo of their tool has to notice what it overwrites.
 */
export function namedPartsIn(state: FoldState): (entry: UndoTurn) => readonly CallEffects[] {
  const calls = callsIn(state);
  const known = new Map<string, readonly CallEffects[]>();
  return ({ turnId }) => {
    const before = known.get(turnId);
    if (before !== undefined) return before;
    const named = calls(turnId).map((call) => ({
      ...call,
      steps: call.steps.filter(({ paths = [] }) => paths.length > 0),
    }));
    known.set(turnId, named);
    return named;
  };
}

function idOf({ turnId }: UndoTurn): string {
  return turnId;
}

/** Returns the steps that move effects. The other steps only have obstacles. */
export function possibleSteps(plan: readonly PlannedStep[]): readonly PlannedStep[] {
  return plan.filter(({ isPossible, inTheWay }) => isPossible && inTheWay.length === 0);
}

/** Returns all known obstacles of a plan. */
export function obstaclesOf(plan: readonly PlannedStep[], stack: UndoStack): readonly BranchObstacle[] {
  return plan.flatMap(({ direction, entry, inTheWay, isPossible }): readonly BranchObstacle[] => {
    const { turnId } = entry;
    const domains = stack.changedSince(stack.find(turnId));
    const found: readonly BranchObstacle[] = [
      ...(domains.length > 0 ? [{ turnId, reason: 'revision' as const, domains }] : []),
      ...(inTheWay.length > 0 ? [{ turnId, reason: 'in-the-way' as const, inTheWay }] : []),
    ];
    if (direction === 'undo') return [...stayingOf(entry), ...found];
    return isPossible ? found : [{ turnId, reason: 'not-redoable' }];
  });
}

/** Returns the effects of a turn that cannot be taken back. */
function stayingOf({ turnId, effects }: UndoTurn): readonly BranchObstacle[] {
  return effects.flatMap((effect): readonly BranchObstacle[] => {
    if (effect.irreversible) return [{ turnId, reason: 'irreversible', ...itemOf(effect) }];
    return effect.lost ? [{ turnId, reason: 'lost', ...itemOf(effect) }] : [];
  });
}
