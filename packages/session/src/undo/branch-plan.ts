import type { UndoItem } from '../conversation/turn-record.js';
import type { FoldState, UndoTurn } from '../state/session-state.js';
import type { UndoStack } from './undo-stack.js';
import { itemOf } from './undo-history.js';

/** A turn that a branch command takes back, or makes again. */
export interface PlannedStep {
  readonly direction: 'undo' | 'redo';
  readonly entry: UndoTurn;
}

/**
 * Something that is in the way of a branch command: an item of `details.obstacles` of its error `conflict`. An alias, since TypeScript
 * refuses a cast from JSON to an interface.
 */
export type BranchObstacle = Partial<UndoItem> & {
  readonly turnId: string;
  /**
   * `irreversible`, `lost`: this effect of the turn cannot be taken back. `revision`: the user changed these domains since.
   * `not-redoable`: the effects of the turn cannot be made again.
   */
  readonly reason: 'irreversible' | 'lost' | 'revision' | 'not-redoable';
  /** With the reason `revision`. */
  readonly domains?: readonly string[];
};

/**
 * Returns the steps of a branch command, in order: the turns in force that it takes back, newest first, then those that it makes again,
 * oldest first.
 *
 * @param path the ids of the turns of the new path
 * @param effects `undo`: of the turns that leave the path. `follow`: of every turn off the new path, and those on it that a branch command
 *   took back. `keep`: none
 */
export function planOf(
  { undoEntries }: FoldState,
  path: ReadonlySet<string>,
  effects: 'undo' | 'follow' | 'keep',
): readonly PlannedStep[] {
  if (effects === 'keep') return [];
  const isTakenBack = ({ turnId, state, offPath }: UndoTurn) =>
    state !== 'undone' && !path.has(turnId) && (effects === 'follow' || offPath === undefined);
  const isMadeAgain = ({ turnId, by }: UndoTurn) =>
    effects === 'follow' && path.has(turnId) && by === 'branch';
  const steps = (direction: PlannedStep['direction'], entries: readonly UndoTurn[]) =>
    entries.map((entry): PlannedStep => ({ direction, entry }));
  return [
    ...steps('undo', undoEntries.filter(isTakenBack).toReversed()),
    ...steps('redo', undoEntries.filter(isMadeAgain)),
  ];
}

/** Returns the steps that move an effect. The others have obstacles alone. */
export function possibleSteps(plan: readonly PlannedStep[], stack: UndoStack): readonly PlannedStep[] {
  return plan.filter(({ direction, entry }) =>
    direction === 'undo' ? entry.undoable : stack.isRedoable(entry.turnId),
  );
}

/** Returns everything that is known to be in the way of a plan. Throws `undo-failed` as `UndoStack.prepare`. */
export function obstaclesOf(plan: readonly PlannedStep[], stack: UndoStack): readonly BranchObstacle[] {
  return plan.flatMap(({ direction, entry }): readonly BranchObstacle[] => {
    const { turnId } = entry;
    const domains = stack.changedSince(stack.find(turnId));
    const changed: readonly BranchObstacle[] =
      domains.length === 0 ? [] : [{ turnId, reason: 'revision', domains }];
    if (direction === 'undo') return [...stayingOf(entry), ...changed];
    return stack.isRedoable(turnId) ? changed : [{ turnId, reason: 'not-redoable' }];
  });
}

/** Returns the effects of a turn that cannot be taken back. */
function stayingOf({ turnId, effects }: UndoTurn): readonly BranchObstacle[] {
  return effects.flatMap((effect): readonly BranchObstacle[] => {
    if (effect.irreversible) return [{ turnId, reason: 'irreversible', ...itemOf(effect) }];
    return effect.lost ? [{ turnId, reason: 'lost', ...itemOf(effect) }] : [];
  });
}
