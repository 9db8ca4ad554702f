import { defined } from '@banister/provider/internal/json/defined';
import type { TurnOutcome, TurnRecord, UndoReport } from '../conversation/turn-record.js';
import { effectsToList } from '../conversation/staying-effects.js';
import type { OperationOf } from '../operations/operation.js';
import { noteBegun } from './begun-commands.js';
import { branchesOf } from './branches.js';
import { append, set, type Change } from './change.js';
import type { AllHandlers } from './handlers.js';
import { retryEnded } from './pending-retry.js';
import { queueAfterTurn } from '../queue/queue-notes.js';
import { shortenChildren } from './shorten-children.js';
import { setAside } from './set-aside.js';
import { newUndoNote } from './undo-note.js';
import type { FoldState } from './session-state.js';
import { newTurnNotes, noteRound, noteTurn } from './turn-notes.js';
import { isOpenForRedo, undoClosed } from './undo-entries.js';

/** Handlers of the start and the end of a turn. */
export const turnHandlers = {
  turnStarted: (state, operation) => {
    const {
      turnId,
      input,
      from,
      limits,
      budget,
      retryOf,
      options,
      structured,
      command,
      parentId = state.headTurnId,
    } = operation;
    const { aside, moves } = state.fold;
    const stays = effectsToList(state.turns, aside);
    const beside = aside.flatMap(({ turn }) => (turn.parentId === parentId ? [turn] : []));
    const liveTurn: TurnRecord = defined({
      id: turnId,
      parentId,
      input,
      from,
      rounds: [],
      status: 'running',
      outcome: null,
      retryOf,
      options,
      structured,
      stays: stays.length === 0 ? undefined : stays,
      messageIds: [],
      effects: [],
    });
    return [
      set(['isRunning'], true),
      set(['phase'], 'preparing'),
      set(['currentText'], ''),
      set(['currentThinking'], ''),
      set(['partialOutput'], null),
      set(['liveTurn'], liveTurn),
      set(['fold', 'turn'], { ...newTurnNotes, limits, undo: newUndoNote(turnId, moves.length) }),
      set(['fold', 'starting'], null),
      set(['headTurnId'], turnId),
      ...(beside.length === 0
        ? []
        : [set(['branches'], { ...state.branches, ...branchesOf([...beside, liveTurn]) })]),
      set(['lastUsageReport'], null),
      set(['budget'], budget),
      set(['lastSchemaWarnings'], []),
      set(['lastContextDiagnostics'], []),
      set(['lastError'], null),
      ...clearedRedo(state),
      ...undoClosed,
      ...(command === undefined ? [] : noteBegun(state, ({ id }) => id === command, { turn: turnId })),
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
    ...retryEnded(state),
    ...noteTurn(state, () => ({ cancel: { level, sideEffects } })),
  ],

  commitStarted: (state, { ending }) => [
    set(['phase'], 'committing'),
    ...retryEnded(state),
    ...noteTurn(state, () => ({ closing: 'commit', ending })),
  ],

  rollbackStarted: (state) => [
    set(['phase'], 'rolling-back'),
    ...retryEnded(state),
    ...noteTurn(state, () => ({ closing: 'rollback' })),
  ],

  completed: (state, operation) => ending(state, operation, isEmpty(state) ? { empty: true } : {}),
  stopped: (state, operation) => ending(state, operation, { stop: operation.stop }),
  cancelled: (state, operation) =>
    setAside(state, 'cancelled', ending(state, operation, reportOf(operation.report))),
  failed: (state, operation) => {
    const { error, report } = operation;
    return setAside(state, 'failed', ending(state, operation, { error, ...reportOf(report) }));
  },
} satisfies Partial<AllHandlers>;

/** Returns true if the last answer of the model has no text. */
function isEmpty({ liveTurn }: FoldState): boolean {
  const last = liveTurn?.rounds.at(-1);
  return last !== undefined && !last.parts.some((part) => part.type === 'text' && part.text.trim() !== '');
}

function reportOf(report: UndoReport | null): { report?: UndoReport } {
  return report === null ? {} : { report };
}

/** Returns the changes at the end of a turn: its record moves from `liveTurn` to `turns`, and open confirmations are removed. */
function ending(
  state: FoldState,
  operation: OperationOf<'completed' | 'stopped' | 'cancelled' | 'failed'>,
  more: Partial<TurnOutcome>,
): readonly Change[] {
  const { type: status, usage, rounds, budget } = operation;
  const outcome: TurnOutcome = { status, usage, rounds, ...more };
  const { turn } = state.fold;
  const record = shortRecord(state);
  return [
    ...(record === null ? [] : [append(['turns'], { ...record, status, outcome })]),
    set(['liveTurn'], null),
    set(['isRunning'], false),
    set(['phase'], 'idle'),
    ...retryEnded(state),
    ...(state.pendingConfirmations.length === 0 ? [] : [set(['pendingConfirmations'], [])]),
    ...(state.pendingExtension ? [set(['pendingExtension'], null)] : []),
    ...(state.pendingReview === null ? [] : [set(['pendingReview'], null)]),
    set(['lastUsageReport'], usage),
    set(['budget'], budget),
    set(['lastOutcome'], outcome),
    set(['lastError'], outcome.error ?? null),
    ...(turn === null || turn.undo.undo.calls.length === 0 ? [] : [append(['fold', 'undo'], turn.undo)]),
    set(['fold', 'turn'], null),
    set(['fold', 'spent'], state.totals.usage),
    set(['fold', 'innerCall'], false),
    set(['fold', 'parsers'], []),
    set(['canUndo'], state.fold.undoable),
    ...queueAfterTurn(state, status),
  ];
}

/** Returns the record of the running turn. The records of its child turns are shortened by the limits of the turn. */
function shortRecord({ liveTurn, fold: { turn } }: FoldState): TurnRecord | null {
  if (liveTurn === null || turn?.children === undefined) return liveTurn;
  const { maxChildRecord = Infinity } = turn.limits ?? {};
  return shortenChildren(liveTurn, Number(maxChildRecord));
}

/**
 * Returns the changes by which a new turn clears redo: turns that were undone before can no longer be redone. A turn that a branch command
 * took back stays, for `switchTo`.
 */
function clearedRedo({ undoEntries, fold }: FoldState): readonly Change[] {
  if (!fold.undone) return [];
  const kept = undoEntries
    .filter((turn) => turn.state !== 'undone' || turn.by === 'branch')
    .map((turn) => (isOpenForRedo(turn) ? { ...turn, redoable: false } : turn));
  return [set(['undoEntries'], kept), set(['fold', 'undone'], false), set(['fold', 'redo'], [])];
}
