import { set, type Change } from './change.js';
import type { UndoTurn } from './session-state.js';

/** Whether `undo()` may take the turn back, now or after newer ones. */
export function canBeUndone({ state, undoable }: UndoTurn): boolean {
  return state !== 'undone' && undoable;
}

/** Whether `redo()` may make effects of the turn again, now or after older ones. */
export function canBeRedone({ state, redoable }: UndoTurn): boolean {
  return (state === 'undone' || state === 'partly-redone') && redoable;
}

/** While a turn, an undo or a redo runs, nothing can be undone or redone. */
export const undoClosed: readonly Change[] = [set(['canUndo'], false), set(['canRedo'], false)];

/** The changes for a new list of undoable turns: the list, `canUndo` and `canRedo`. */
export function withUndoEntries(undoEntries: readonly UndoTurn[]): readonly Change[] {
  return [
    set(['undoEntries'], undoEntries),
    set(['canUndo'], undoEntries.some(canBeUndone)),
    set(['canRedo'], undoEntries.some(canBeRedone)),
  ];
}
