import type { OpaquePart, TextPart, ThinkingPart } from '../conversation/content.js';
import type { TurnOutcome, TurnPart, TurnRecord, UndoReport } from '../conversation/turn-record.js';
import { textOf } from '../conversation/message.js';
import type { OperationOf } from '../operations/operation.js';
import type { TurnOperation } from '../operations/turn-operations.js';
import { append, set, type Change, type Path } from './change.js';
import type { Handlers } from './handlers.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { withReverted } from './reverted-calls.js';

export const turnHandlers: Handlers<TurnOperation['type']> = {
  turnStarted: (state, { turnId, input, budget, retryOf }) => {
    const liveTurn: TurnRecord = {
      id: turnId,
      input,
      rounds: [],
      status: 'running',
      outcome: null,
      ...(retryOf === undefined ? {} : { retryOf }),
      messageIds: [],
      effects: [],
    };
    return [
      set(['isRunning'], true),
      set(['phase'], 'preparing'),
      set(['currentText'], ''),
      set(['currentThinking'], ''),
      set(['liveTurn'], liveTurn),
      set(['lastUsageReport'], null),
      set(['budget'], budget),
      set(['lastSchemaWarnings'], []),
      set(['lastContextDiagnostics'], []),
      ...clearedRedo(state),
    ];
  },

  messagesAppended: (_state, { messages }) =>
    messages.flatMap((message) => [
      append(['conversation', 'messages'], message),
      append(['liveTurn', 'messageIds'], message.id),
    ]),

  schemaWarnings: (_state, { warnings }) => [set(['lastSchemaWarnings'], warnings)],

  contextRefreshed: (state, { diagnostics }) =>
    diagnostics.length === 0 && state.lastContextDiagnostics.length === 0
      ? []
      : [set(['lastContextDiagnostics'], diagnostics)],

  roundStarted: (_state, { budget }) => [
    set(['phase'], 'preparing'),
    set(['budget'], budget),
    set(['fold', 'roundOpen'], true),
    set(['fold', 'parsers'], []),
    append(['liveTurn', 'rounds'], { parts: [] }),
  ],

  text: (state, { delta }) => {
    const open = lastPart(state);
    return [
      append(['currentText'], delta),
      open?.type === 'text'
        ? append([...lastPartPath(state), 'text'], delta)
        : newPart(state, { type: 'text', text: delta }),
    ];
  },

  thinking: (state, { delta, signature }) => {
    const open = lastPart(state);
    // A signature closes a block; what comes after it is a block of its own, with its own signature.
    const continues = open?.type === 'thinking' && open.signature === undefined;
    const changes: Change[] = [append(['currentThinking'], delta)];
    if (!continues) {
      changes.push(
        newPart(state, { type: 'thinking', text: delta, ...(signature === undefined ? {} : { signature }) }),
      );
    } else {
      changes.push(append([...lastPartPath(state), 'text'], delta));
      if (signature !== undefined) changes.push(set([...lastPartPath(state), 'signature'], signature));
    }
    return changes;
  },

  opaque: (state, { part }) => [newPart(state, part)],

  usage: (_state, { report }) => [set(['lastUsageReport'], report)],

  roundCompleted: (_state, { budget }) => [
    set(['budget'], budget),
    set(['fold', 'roundOpen'], false),
    set(['fold', 'parsers'], []),
  ],

  cancelRequested: () => [set(['phase'], 'cancelling'), set(['fold', 'cancelling'], true)],

  commitStarted: () => [set(['phase'], 'committing')],

  committed: (state, { turnId, effects, undoable, redoable }) => {
    const turn: UndoTurn = {
      turnId,
      label: state.liveTurn === null ? '' : textOf(state.liveTurn.input).slice(0, 80),
      effects,
      state: 'done',
      undoable,
      redoable,
      irreversible: effects.some((effect) => effect.irreversible),
    };
    return [
      set(['liveTurn', 'effects'], effects),
      ...(effects.length === 0 ? [] : withUndoEntries([...state.undoEntries, turn])),
    ];
  },

  rollbackStarted: () => [set(['phase'], 'rolling-back')],

  rolledBack: (state, { report }) =>
    state.liveTurn === null ? [] : [set(['liveTurn'], withReverted(state.liveTurn, report.done, true))],

  completed: (state, operation) => ending(state, operation, {}),
  stopped: (state, operation) => ending(state, operation, { stop: operation.stop }),
  cancelled: (state, operation) => ending(state, operation, reportOf(operation.report)),
  failed: (state, operation) =>
    ending(state, operation, { error: operation.error, ...reportOf(operation.report) }),
};

function reportOf(report: UndoReport | null): { report?: UndoReport } {
  return report === null ? {} : { report };
}

/** The turn is over: the record moves from `liveTurn` to `turns`, and everything that was open closes. */
function ending(
  state: FoldState,
  operation: OperationOf<'completed' | 'stopped' | 'cancelled' | 'failed'>,
  more: Partial<TurnOutcome>,
): readonly Change[] {
  const { type: status, usage, rounds } = operation;
  const outcome: TurnOutcome = { status, usage, rounds, ...more };
  const record = state.liveTurn;
  return [
    ...(record === null ? [] : [append(['turns'], { ...record, status, outcome })]),
    set(['liveTurn'], null),
    set(['isRunning'], false),
    set(['phase'], 'idle'),
    set(['pendingConfirmations'], []),
    set(['lastUsageReport'], usage),
    set(['lastOutcome'], outcome),
    set(['lastError'], outcome.error ?? null),
    set(['fold'], { roundOpen: false, cancelling: false, parsers: [] }),
  ];
}

/** A new turn clears redo: what was undone before it can no longer be done again. */
function clearedRedo(state: FoldState): readonly Change[] {
  const kept = state.undoEntries.filter((turn) => turn.state !== 'undone');
  return kept.length === state.undoEntries.length ? [] : withUndoEntries(kept);
}

/** The undoable turns, with what follows from them. */
export function withUndoEntries(undoEntries: readonly UndoTurn[]): readonly Change[] {
  return [
    set(['undoEntries'], undoEntries),
    set(
      ['canUndo'],
      undoEntries.some((turn) => turn.state !== 'undone' && turn.undoable),
    ),
    set(
      ['canRedo'],
      undoEntries.some((turn) => turn.state === 'undone' && turn.redoable),
    ),
  ];
}

/** The parts of the open round. */
export function openParts(state: FoldState): readonly TurnPart[] {
  return state.liveTurn?.rounds.at(-1)?.parts ?? [];
}

/** The path of the parts of the open round. */
export function openPartsPath(state: FoldState): Path {
  return ['liveTurn', 'rounds', (state.liveTurn?.rounds.length ?? 1) - 1, 'parts'];
}

function lastPart(state: FoldState): TurnPart | undefined {
  return openParts(state).at(-1);
}

function lastPartPath(state: FoldState): Path {
  return [...openPartsPath(state), openParts(state).length - 1];
}

function newPart(state: FoldState, part: TextPart | ThinkingPart | OpaquePart): Change {
  return append(openPartsPath(state), part);
}
