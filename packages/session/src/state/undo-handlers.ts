import type { LateSettlement, UndoReport, UndoState } from '../conversation/turn-record.js';
import { callsOf } from '../conversation/turn-record.js';
import { defined } from '../json/defined.js';
import type { OperationOf } from '../operations/operation.js';
import type { BranchStep } from '../operations/session-operations.js';
import type { EffectMoved, EffectRecorded } from '../operations/tool-operations.js';
import { append, set, type Change } from './change.js';
import type { Handlers, UndoType } from './handlers.js';
import { mapCalls, withReverted } from './reverted-calls.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { afterReturn } from './revision-notes.js';
import { findTurn } from './tree.js';
import { noteRevisions } from './turn-notes.js';
import { afterStep, undoClosed, withUndoEntries } from './undo-entries.js';
import { findUndo, noteCalls, noteMoves, noteStep, stepped, withCalls } from './undo-notes.js';

/** Handlers of effects, of undo and of redo. */
export const undoHandlers: Handlers<UndoType> = {
  effectRecorded: (state, operation) => recorded(state, operation.turnId, operation),
  effectReverted: (state, operation) => moved(state, operation, 'reverted'),
  effectReapplied: (state, operation) => moved(state, operation, 'in-effect'),

  undoStarted: (state, operation) => started(state, 'undo', operation),
  redoStarted: (state, operation) => started(state, 'redo', operation),

  // A log of an older release has no field `moved`.
  undone: (state, { target, report, redoable: canBeMadeAgain, moved = {}, branch }) => {
    // A turn of which nothing was taken back, since all of it is lost, is not undone.
    const isLost = report.done.length === 0 && report.lost.length > 0;
    const undoState = report.failed.length === 0 && !isLost ? 'undone' : 'partly-undone';
    const by = byOf(branch);
    // `redo` never makes a turn again that a branch command took back.
    const redoable = canBeMadeAgain && by === undefined;
    return [
      ...noteStep(state, target, moved, (undo) => stepped(undo, moved, report.done, 'reverted')),
      ...recordUndo(state, target, report, undoState, by),
      ...undoTurns(state, (turn) => {
        if (turn.turnId === target) return afterStep(turn, { state: undoState, redoable, by });
        // The turns after one that cannot be redone cannot be redone either: the state that they began with is gone.
        const gone = turn.state === 'undone' && undoState === 'undone' && !redoable;
        return gone ? { ...turn, redoable: false } : turn;
      }),
      ...ended(branch),
    ];
  },

  redone: (state, { target, report, moved = {}, branch }) => {
    const revisions = noteStep(state, target, moved, (undo) =>
      stepped(undo, moved, report.done, 'in-effect'),
    );
    // A redo without a success leaves the turn as it was, so that it can be tried again.
    if (report.failed.length > 0 && report.done.length === 0)
      return [...revisions, ...undoTurns(state, (turn) => turn), ...ended(branch)];
    const isWhole = report.failed.length === 0;
    const by = byOf(branch);
    return [
      ...revisions,
      ...recordUndo(state, target, report, isWhole ? 'redone' : 'partly-redone', by),
      ...undoTurns(state, (turn) => {
        if (turn.turnId !== target) return turn;
        return isWhole
          ? afterStep(turn, { state: 'done', redoable: true })
          : afterStep(turn, { state: 'partly-redone', redoable: turn.redoable, by });
      }),
      ...ended(branch),
    ];
  },

  lateToolSettled: (state, operation) => [...lateRecord(state, operation), ...lateEffects(state, operation)],
};

function started(
  { fold }: FoldState,
  direction: 'undo' | 'redo',
  { target, branch }: OperationOf<'undoStarted' | 'redoStarted'>,
): readonly Change[] {
  const isFinished = fold.undoing === null ? undefined : true;
  return [
    // A branch command runs as a turn does, from its first step to its last.
    ...(branch ? [set(['isRunning'], true)] : []),
    set(['phase'], 'rolling-back'),
    set(['fold', 'undoing'], defined({ direction, target, isFinished, branch })),
    set(['interrupted'], null),
    ...undoClosed,
  ];
}

function ended(branch: BranchStep | undefined): readonly Change[] {
  const undoing = set(['fold', 'undoing'], null);
  if (branch === 'goes-on') return [undoing, ...undoClosed];
  return [undoing, set(['phase'], 'idle'), ...(branch === undefined ? [] : [set(['isRunning'], false)])];
}

function byOf(branch: BranchStep | undefined): 'branch' | undefined {
  return branch && 'branch';
}

function recorded(
  state: FoldState,
  turnId: string,
  { callId, step, description, data, irreversible }: Omit<EffectRecorded, 'type'>,
): readonly Change[] {
  const added = defined({ step, description, data, irreversible, state: 'in-effect' as const });
  const found = findUndo(state, turnId);
  if (found === undefined) return [];
  const { calls } = found.note.undo;
  const path = [...found.path, 'undo', 'calls'] as const;
  const index = calls.findIndex((call) => call.callId === callId);
  if (index >= 0) {
    // A call that runs again records its effects again.
    const position = calls[index]!.steps.findIndex((one) => one.step === step);
    return [
      position < 0
        ? append([...path, index, 'steps'], added)
        : set([...path, index, 'steps', position], added),
      ...(irreversible ? [set([...path, index, 'irreversible'], true)] : []),
    ];
  }
  const tool = toolOf(state, turnId, callId);
  return tool === undefined ? [] : [append(path, { callId, tool, irreversible, steps: [added] })];
}

function toolOf({ liveTurn }: FoldState, turnId: string, callId: string): string | undefined {
  if (liveTurn?.id !== turnId) return undefined;
  for (const round of liveTurn.rounds.toReversed()) {
    const call = callsOf(round).find(({ id }) => id === callId);
    if (call !== undefined) return call.tool;
  }
  return undefined;
}

function moved(
  state: FoldState,
  operation: OperationOf<EffectMoved['type']>,
  to: 'reverted' | 'in-effect',
): readonly Change[] {
  if (operation.outcome !== 'success') return [];
  const found = findUndo(state, operation.turnId === undefined ? operation.target : operation.turnId);
  const calls = found?.note.undo.calls ?? [];
  const index = calls.findIndex((call) => call.callId === operation.callId);
  const position = calls[index]?.steps.findIndex(({ step }) => step === operation.step) ?? -1;
  if (position < 0) return [];
  const step = calls[index]!.steps[position]!;
  return [
    set([...found!.path, 'undo', 'calls', index, 'steps', position], {
      ...step,
      state: to,
      moves: (step.moves ?? 0) + 1,
    }),
  ];
}

/** Records the late end of a call in the record of its turn. A running turn counts the revision as its own. */
function lateRecord(
  state: FoldState,
  { callId, target, settlement, moved = {} }: OperationOf<'lateToolSettled'>,
): readonly Change[] {
  const reverted = settlement.effect === 'reverted';
  const found = findTurn(state, target);
  if (found === undefined) return [];
  const record = mapCalls(found.turn, (part) =>
    part.type === 'tool-call' && part.id === callId
      ? { ...part, late: settlement, ...(reverted ? { reverted } : {}) }
      : part,
  );
  const isRunning = state.liveTurn?.id === target;
  return [
    set(found.path, record),
    ...(isRunning ? Object.entries(moved) : []).flatMap(([domain, { to }]) =>
      noteRevisions(state, (notes) => afterReturn(notes, callId, domain, to)),
    ),
  ];
}

/** Records the effect of a late call. The effect of one that ended after its turn has no operation of its own. */
function lateEffects(
  state: FoldState,
  { callId, tool, target, settlement, moved = {} }: OperationOf<'lateToolSettled'>,
): readonly Change[] {
  const item = { toolCallId: callId, toolName: tool, description: '' };
  return [
    ...noteMoves(moved),
    ...noteCalls(state, target, (calls) => {
      if (calls.some((call) => call.callId === callId))
        return withCalls(calls, settlement.effect === 'reverted' ? [item] : [], 'reverted');
      const late = lateCall(callId, tool, settlement);
      return late.length === 0 ? calls : [...calls, ...late];
    }),
  ];
}

function lateCall(callId: string, tool: string, { effect, description = tool }: LateSettlement) {
  if (effect === 'none' || effect === 'reverted') return [];
  const step = { step: 1, description, irreversible: true, state: 'in-effect' as const };
  return [{ callId, tool, irreversible: true, steps: [step] }];
}

/** Records the result of an undo or a redo in the record of its turn. Other turns keep their identity. */
function recordUndo(
  state: FoldState,
  target: string,
  report: UndoReport,
  undoState: UndoState,
  by: 'branch' | undefined,
): readonly Change[] {
  const found = findTurn(state, target);
  if (found === undefined) return [];
  const record = withReverted(
    found.turn,
    report.done,
    undoState === 'undone' || undoState === 'partly-undone',
  );
  return [set(found.path, { ...record, undo: defined({ state: undoState, report, by }) })];
}

function undoTurns(state: FoldState, change: (turn: UndoTurn) => UndoTurn): readonly Change[] {
  return withUndoEntries(state.undoEntries.map(change));
}
