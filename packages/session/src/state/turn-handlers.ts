import type { TurnOutcome, TurnPart, TurnRecord, UndoReport } from '../conversation/turn-record.js';
import { textOf } from '../conversation/message.js';
import { totalTokensOf } from '../conversation/usage-report.js';
import { budgetLine, type BudgetLine } from '../operations/budget.js';
import type { OperationOf } from '../operations/operation.js';
import type { TurnOperation } from '../operations/turn-operations.js';
import { append, set, type Change, type Path } from './change.js';
import type { Handlers } from './handlers.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { withReverted } from './reverted-calls.js';

// Written with every delta: made once.
const currentText: Path = ['currentText'];
const currentThinking: Path = ['currentThinking'];

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
      set(['lastError'], null),
      ...clearedRedo(state),
      ...undoClosed,
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
    const parts = openParts(state);
    const last = parts.length - 1;
    return [
      append(currentText, delta),
      parts[last]?.type === 'text'
        ? append(partPath(state, last, 'text'), delta)
        : append(openPartsPath(state), { type: 'text', text: delta }),
    ];
  },

  thinking: (state, { delta, signature, signedBy }) => {
    const parts = openParts(state);
    const last = parts.length - 1;
    const open = parts[last];
    const changes: Change[] = [append(currentThinking, delta)];
    // A signature closes a block; what comes after it is a block of its own, with its own signature.
    if (open?.type === 'thinking' && open.signature === undefined) {
      changes.push(append(partPath(state, last, 'text'), delta));
      if (signature !== undefined) changes.push(set(partPath(state, last, 'signature'), signature));
      if (signedBy !== undefined) changes.push(set(partPath(state, last, 'signedBy'), signedBy));
    } else {
      const part = {
        type: 'thinking',
        text: delta,
        ...(signature === undefined ? {} : { signature }),
        ...(signedBy === undefined ? {} : { signedBy }),
      };
      changes.push(append(openPartsPath(state), part));
    }
    return changes;
  },

  opaque: (state, { part }) => [append(openPartsPath(state), part)],

  usage: (state, { report }) => [
    set(['lastUsageReport'], report),
    set(['budget', 'tokens'], spentOf(state.budget.tokens, totalTokensOf(report) ?? 0)),
    set(['budget', 'cost'], spentOf(state.budget.cost, report.cost?.amount ?? 0)),
  ],

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
      // Undo opens again when the turn is over.
      ...(effects.length === 0 ? [] : [append(['undoEntries'], turn)]),
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
    ...(state.pendingConfirmations.length === 0 ? [] : [set(['pendingConfirmations'], [])]),
    set(['lastUsageReport'], usage),
    set(['lastOutcome'], outcome),
    set(['lastError'], outcome.error ?? null),
    set(['fold'], { roundOpen: false, cancelling: false, innerCall: false, parsers: [] }),
    ...withUndoEntries(state.undoEntries),
  ];
}

/** A new turn clears redo: what was undone before it can no longer be done again. */
function clearedRedo(state: FoldState): readonly Change[] {
  const kept = state.undoEntries.filter((turn) => turn.state !== 'undone');
  return kept.length === state.undoEntries.length ? [] : [set(['undoEntries'], kept)];
}

/** While a turn, an undo or a redo runs, nothing can be undone or redone. */
export const undoClosed: readonly Change[] = [set(['canUndo'], false), set(['canRedo'], false)];

/** A line of the budget with another amount spent of the same limit. */
function spentOf({ spent, left }: BudgetLine, now: number): BudgetLine {
  return budgetLine(now, left === null ? undefined : left + spent);
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
  return ['liveTurn', 'rounds', openRound(state), 'parts'];
}

/** The last answers of {@link partPath} by field: while a part streams, they are the same again and again. */
const latestPaths = new Map<string, readonly [string, string, number, string, number, string]>();

/** The path of a field of one of those parts. */
export function partPath(state: FoldState, position: number, field: string): Path {
  const round = openRound(state);
  const latest = latestPaths.get(field);
  if (latest?.[2] === round && latest[4] === position) return latest;
  const path = ['liveTurn', 'rounds', round, 'parts', position, field] as const;
  latestPaths.set(field, path);
  return path;
}

function openRound(state: FoldState): number {
  return (state.liveTurn?.rounds.length ?? 1) - 1;
}
