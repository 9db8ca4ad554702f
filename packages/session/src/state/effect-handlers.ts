import { textOf } from '../conversation/message.js';
import { movedOf } from '../operations/moved.js';
import type { OperationOf } from '../operations/operation.js';
import { append, set, type Change } from './change.js';
import type { EffectType, Handlers } from './handlers.js';
import { withReverted } from './reverted-calls.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { noteTurn } from './turn-notes.js';
import { lostCalls, withLostMarks } from './undo-entries.js';
import { withCalls, withMoved } from './undo-notes.js';

/** Handlers of the commit and of the rollback of a turn's effects. */
export const effectHandlers: Handlers<EffectType> = {
  // A log of an older release has no list `unknown`.
  committed: (state, operation) => {
    const { turnId, effects, unknown = [], undoable, redoable } = operation;
    const lost = lostCalls(state.fold.undo[turnId]?.calls);
    const turn: UndoTurn = {
      turnId,
      label: state.liveTurn === null ? '' : textOf(state.liveTurn.input).slice(0, 80),
      effects: withLostMarks(effects, lost),
      state: 'done',
      undoable,
      redoable,
      irreversible: effects.some((effect) => effect.irreversible),
      lost: lost.size > 0,
    };
    return [
      ...committedEffects(state, operation),
      set(['liveTurn', 'effects'], effects),
      ...(unknown.length === 0 ? [] : [set(['liveTurn', 'unknown'], unknown)]),
      // `canUndo` stays false until the turn has ended.
      ...(effects.length === 0 ? [] : [append(['undoEntries'], turn)]),
      ...noteTurn(state, () => ({ committed: true })),
    ];
  },

  rolledBack: (state, { turnId, report, moved = {} }) => {
    const notes = withMoved(state, moved);
    const turn = notes[turnId];
    const calls = turn && withCalls(turn.calls, report.done, 'reverted');
    return [
      ...(state.liveTurn === null
        ? []
        : [set(['liveTurn'], withReverted(state.liveTurn, report.done, true))]),
      set(
        ['fold', 'undo'],
        turn && calls !== turn.calls ? { ...notes, [turnId]: { ...turn, calls } } : notes,
      ),
      ...noteTurn(state, () => ({ report })),
    ];
  },
};

/** The changes of the revisions and effects with a commit. A log of an older release has no revisions. */
function committedEffects(
  state: FoldState,
  { turnId, undoable, domains = [], before = {}, after = {} }: OperationOf<'committed'>,
): readonly Change[] {
  const advanced = undoable ? domains : Object.keys(before);
  const notes = withMoved(state, movedOf(advanced, before, after));
  const turn = notes[turnId];
  return [set(['fold', 'undo'], turn ? { ...notes, [turnId]: { ...turn, domains, before, after } } : notes)];
}
