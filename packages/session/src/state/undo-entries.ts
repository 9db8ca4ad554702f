import { defined } from '@banister/provider/internal/json/defined';
import { set, type Change } from './change.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import type { UndoEffect, UndoTurn } from './session-state.js';

/** Returns true if `undo()` may take the turn back, now or after newer turns. */
export function canBeUndone({ state, undoable }: Pick<UndoTurn, 'state' | 'undoable'>): boolean {
  return state !== 'undone' && undoable;
}

/** Returns true if `redo()` may make effects of the turn again, now or after older turns. */
export function canBeRedone({ state, redoable }: UndoTurn): boolean {
  return (state === 'undone' || state === 'partly-redone') && redoable;
}

/** Returns true if `redo` may make effects of the turn, or of a child turn of it, again. */
export function isOpenForRedo(turn: UndoTurn): boolean {
  return canBeRedone(turn) || (turn.redoable && turn.groups?.some(({ state }) => state !== 'done') === true);
}

/** Returns the ids of the calls with a lost effect. */
export function lostCalls(calls: readonly CallEffects[]): ReadonlySet<string> {
  const lost = calls.filter(({ steps }) => steps.some(({ state }) => state === 'lost'));
  return new Set(lost.map(({ callId }) => callId));
}

/** Returns the effects of an entry in the order of undo, with lost effects marked. */
export function withLostMarks(
  effects: readonly UndoEffect[],
  lost: ReadonlySet<string>,
): readonly UndoEffect[] {
  return effects.map(({ lost: _before, ...effect }): UndoEffect =>
    lost.has(effect.toolCallId) ? { ...effect, lost: true } : effect,
  );
}

/**
 * Returns entries of which exactly the turns in `aside` have the mark `offPath`. Entries that do not change keep their identity, and so
 * does the list.
 *
 * @param aside the ids of the turns off the path
 */
export function withPathMarks(entries: readonly UndoTurn[], aside: ReadonlySet<string>): readonly UndoTurn[] {
  const marked = entries.map((entry): UndoTurn => {
    const isAside = aside.has(entry.turnId);
    if (isAside === (entry.offPath === true)) return entry;
    const { offPath: _mark, ...rest } = entry;
    return isAside ? { ...rest, offPath: true } : rest;
  });
  return marked.every((entry, index) => entry === entries[index]) ? entries : marked;
}

/** Returns an entry after an undo or a redo. */
export function afterStep(
  { by: _before, ...entry }: UndoTurn,
  after: Pick<UndoTurn, 'state' | 'redoable' | 'by'>,
): UndoTurn {
  return defined({ ...entry, ...after });
}

/** While a turn, an undo or a redo runs, nothing can be undone or redone. */
export const undoClosed: readonly Change[] = [set(['canUndo'], false), set(['canRedo'], false)];

/** Returns the changes for a new list of undoable turns: the list, `canUndo` and `canRedo`, and their notes. */
export function withUndoEntries(undoEntries: readonly UndoTurn[]): readonly Change[] {
  const undoable = undoEntries.some(canBeUndone);
  const redoable = undoEntries.some(canBeRedone);
  return [
    set(['undoEntries'], undoEntries),
    set(['canUndo'], undoable),
    set(['canRedo'], redoable),
    set(['fold', 'undoable'], undoable),
    set(
      ['fold', 'undone'],
      undoEntries.some(isOpenForRedo) ||
        undoEntries.some(({ state, by }) => state === 'undone' && by === undefined),
    ),
  ];
}
