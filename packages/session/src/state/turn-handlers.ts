import type { TurnOutcome, TurnRecord, UndoReport } from '../conversation/turn-record.js';
import { textOf } from '../conversation/message.js';
import { defined } from '../json/defined.js';
import { movedOf } from '../operations/moved.js';
import type { OperationOf } from '../operations/operation.js';
import type { TurnOperation } from '../operations/turn-operations.js';
import { append, set, type Change } from './change.js';
import type { Handlers, LazyType } from './handlers.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { withReverted } from './reverted-calls.js';
import { canBeRedone, canBeUndone, lostCalls, withCalls, withLostMarks, withMoved } from './undo-notes.js';
import { newTurnNotes, noteRound, noteTurn } from './turn-notes.js';

/** Handlers of the start and of the end of a turn. */
export const turnHandlers: Handlers<Exclude<TurnOperation['type'], LazyType>> = {
  turnStarted: (state, operation) => {
    const { turnId, input, limits, budget, retryOf, options, parentId = state.headTurnId } = operation;
    const { stays } = state.fold;
    const liveTurn: TurnRecord = defined({
      id: turnId,
      parentId,
      input,
      rounds: [],
      status: 'running',
      outcome: null,
      retryOf,
      options,
      stays: stays.length === 0 ? undefined : stays,
      messageIds: [],
      effects: [],
    });
    return [
      set(['isRunning'], true),
      set(['phase'], 'preparing'),
      set(['currentText'], ''),
      set(['currentThinking'], ''),
      set(['liveTurn'], liveTurn),
      set(['fold', 'turn'], { ...newTurnNotes, limits }),
      set(['headTurnId'], turnId),
      ...(stays.length === 0 ? [] : [set(['fold', 'stays'], [])]),
      set(['lastUsageReport'], null),
      set(['budget'], budget),
      set(['lastSchemaWarnings'], []),
      set(['lastContextDiagnostics'], []),
      set(['lastError'], null),
      ...clearedRedo(state),
      ...undoClosed,
    ];
  },

  messagesAppended: (state, { messages }) => [
    ...messages.flatMap((message) => [
      append(['conversation', 'messages'], message),
      append(['liveTurn', 'messageIds'], message.id),
    ]),
    ...noteRound(state, () => ({ appended: true })),
  ],

  cancelRequested: (state, { level, sideEffects }) => [
    set(['phase'], 'cancelling'),
    ...noteTurn(state, () => ({ cancel: { level, sideEffects } })),
  ],

  commitStarted: (state, { ending }) => [
    set(['phase'], 'committing'),
    ...noteTurn(state, () => ({ closing: 'commit', ending })),
  ],

  // A log of an older release has no list `unknown`.
  committed: (state, operation) => {
    const { turnId, effects, unknown = [], undoable, redoable } = operation;
    const lost = lostCalls(state.fold.undo[turnId]);
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

  rollbackStarted: (state) => [
    set(['phase'], 'rolling-back'),
    ...noteTurn(state, () => ({ closing: 'rollback' })),
  ],

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

  completed: (state, operation) => ending(state, operation, {}),
  stopped: (state, operation) => ending(state, operation, { stop: operation.stop }),
  cancelled: (state, operation) => ending(state, operation, reportOf(operation.report)),
  failed: (state, operation) =>
    ending(state, operation, { error: operation.error, ...reportOf(operation.report) }),
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

function reportOf(report: UndoReport | null): { report?: UndoReport } {
  return report === null ? {} : { report };
}

/** The changes at the end of a turn: its record moves from `liveTurn` to `turns`, and open confirmations are removed. */
function ending(
  state: FoldState,
  operation: OperationOf<'completed' | 'stopped' | 'cancelled' | 'failed'>,
  more: Partial<TurnOutcome>,
): readonly Change[] {
  const { type: status, usage, rounds, budget } = operation;
  const outcome: TurnOutcome = { status, usage, rounds, ...more };
  const record = state.liveTurn;
  return [
    ...(record === null ? [] : [append(['turns'], { ...record, status, outcome })]),
    set(['liveTurn'], null),
    set(['isRunning'], false),
    set(['phase'], 'idle'),
    ...(state.pendingConfirmations.length === 0 ? [] : [set(['pendingConfirmations'], [])]),
    set(['lastUsageReport'], usage),
    set(['budget'], budget),
    set(['lastOutcome'], outcome),
    set(['lastError'], outcome.error ?? null),
    set(['fold', 'turn'], null),
    set(['fold', 'innerCall'], false),
    set(['fold', 'parsers'], []),
    set(['canUndo'], state.undoEntries.some(canBeUndone)),
  ];
}

/** The changes with which a new turn clears redo: a turn that was undone before it can no longer be redone. */
function clearedRedo({ undoEntries }: FoldState): readonly Change[] {
  if (!undoEntries.some((turn) => turn.state === 'undone' || canBeRedone(turn))) return [];
  const kept = undoEntries
    .filter((turn) => turn.state !== 'undone')
    .map((turn) => (canBeRedone(turn) ? { ...turn, redoable: false } : turn));
  return [set(['undoEntries'], kept)];
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
