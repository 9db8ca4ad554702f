import { textOf } from '../conversation/message.js';
import { movedOf } from '../operations/moved.js';
import type { OperationOf } from '../operations/operation.js';
import { append, set, type Change } from './change.js';
import type { EffectType, Handlers } from './handlers.js';
import { withReverted } from './reverted-calls.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { noteTurn } from './turn-notes.js';
import { lostCalls, withLostMarks } from './undo-entries.js';
import { effectsOf, noteCalls, noteMoves, noteStep, withCalls } from './undo-notes.js';

/** Handlers of the commit and of the rollback of a turn's effects. */
export const effectHandlers: Handlers<EffectType> = {
  // A log of an older release has no list `unknown`.
  committed: (state, operation) => {
    const { turnId, effects, unknown = [], undoable, redoable } = operation;
    const lost = lostCalls(effectsOf(state, turnId));
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
      ...(undoable && effects.length > 0 ? [set(['fold', 'undoable'], true)] : []),
      ...noteTurn(state, () => ({ committed: true })),
    ];
  },

  rolledBack: (state, { turnId, report, moved = {} }) => [
    ...(state.liveTurn === null ? [] : [set(['liveTurn'], withReverted(state.liveTurn, report.done, true))]),
    ...noteMoves(moved),
    ...noteCalls(state, turnId, (calls) => withCalls(calls, report.done, 'reverted')),
    ...noteTurn(state, () => ({ report })),
  ],
};

/** The changes of the revisions and effects with a commit. A log of an older release has no revisions. */
function committedEffects(
  state: FoldState,
  { turnId, undoable, domains = [], before = {}, after = {} }: OperationOf<'committed'>,
): readonly Change[] {
  const advanced = undoable ? domains : Object.keys(before);
  const moved = movedOf(advanced, before, after);
  return noteStep(state, turnId, moved, ({ calls }) => ({ domains, before, after, calls }));
}
