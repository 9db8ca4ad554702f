import type { CallEffects } from '../conversation/turn-undo.js';
import { domainOf } from '../conversation/tool-id.js';
import type { LateSettlement, ToolCallView, UndoReport, UndoState } from '../conversation/turn-record.js';
import { callsOf, isReviewed } from '../conversation/turn-record.js';
import { defined } from '../json/defined.js';
import type { OperationOf } from '../operations/operation.js';
import type { BranchStep } from '../operations/session-operations.js';
import type { EffectMoved, EffectRecorded } from '../operations/tool-operations.js';
import { append, set, type Change } from './change.js';
import type { AllHandlers } from './handlers.js';
import { withoutOpen } from './review-handlers.js';
import { mapCalls, withReverted } from './reverted-calls.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { afterReturn } from './revision-notes.js';
import { callAt } from './tool-handlers.js';
import { findTurn } from './tree.js';
import { noteRevisions } from './turn-notes.js';
import { afterMove, touches, withoutRedoOf } from './moved-ways.js';
import { afterStep, canBeRedone, undoClosed, withUndoEntries } from './undo-entries.js';
import {
  callsIn,
  effectsOf,
  findUndo,
  noteCalls,
  noteMoves,
  noteStep,
  stepped,
  withCalls,
} from './undo-notes.js';

/** Handlers of effects, of undo and of redo. */
export const undoHandlers = {
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
    // `redo` never makes a turn again that a branch command took back, nor one in whose domain the app changed something meanwhile.
    const redoable = canBeMadeAgain && by === undefined && state.fold.undoing?.touched === undefined;
    const calls = callsIn(state, {
      [target]: withCalls(effectsOf(state, target), report.done, 'reverted'),
    });
    const entries = state.undoEntries.map((turn) => {
      if (turn.turnId === target) return afterStep(turn, { state: undoState, redoable, by });
      // A branch command that took the turn back has left the state that all others began with.
      const isLeft = turn.state === 'undone' && undoState === 'undone' && by !== undefined;
      return isLeft ? { ...turn, redoable: false } : turn;
    });
    const isGone = undoState === 'undone' && !redoable;
    // The later turns that touched the same cannot be redone either: the state that they began with is gone.
    const open = isGone ? withoutRedoOf(entries, new Set([target]), calls) : entries;
    return [
      ...noteStep(state, target, moved, (undo) => stepped(undo, moved, report.done, 'reverted')),
      ...recordUndo(state, target, report, undoState, by),
      ...withUndoEntries(afterMove(open, target, calls)),
      set(
        ['fold', 'redo'],
        [
          ...stillOpen(state, open).filter((id) => id !== target),
          ...(undoState === 'undone' && redoable ? [target] : []),
        ],
      ),
      ...ended(branch),
    ];
  },

  redone: (state, { target, report, moved = {}, branch }) => {
    const revisions = noteStep(state, target, moved, (undo) =>
      stepped(undo, moved, report.done, 'in-effect'),
    );
    // A redo without a success leaves the turn as it was, so that it can be tried again.
    if (report.failed.length > 0 && report.done.length === 0)
      return [...revisions, ...withUndoEntries(state.undoEntries), ...ended(branch)];
    const isWhole = report.failed.length === 0;
    const by = byOf(branch);
    const entries = state.undoEntries.map((turn) => {
      // As in `undone`.
      if (turn.turnId !== target)
        return by !== undefined && turn.state === 'undone' ? { ...turn, redoable: false } : turn;
      return isWhole
        ? afterStep(turn, { state: 'done', redoable: true })
        : afterStep(turn, { state: 'partly-redone', redoable: turn.redoable, by });
    });
    const calls = withCalls(effectsOf(state, target), report.done, 'in-effect');
    return [
      ...revisions,
      ...recordUndo(state, target, report, isWhole ? 'redone' : 'partly-redone', by),
      ...withUndoEntries(afterMove(entries, target, callsIn(state, { [target]: calls }))),
      ...(isWhole
        ? [
            set(
              ['fold', 'redo'],
              state.fold.redo.filter((id) => id !== target),
            ),
          ]
        : []),
      ...ended(branch),
    ];
  },

  domainTouched: (state, { domain }) => {
    const { undoEntries, fold } = state;
    const calls = callsIn(state);
    const isClosed = (turn: UndoTurn) => canBeRedone(turn) && touches(calls(turn.turnId), domain);
    const closed = new Set(undoEntries.filter(isClosed).map(({ turnId }) => turnId));
    const { undoing } = fold;
    const isMeanwhile = undoing !== null && touches(calls(undoing.target), domain);
    const open = withoutRedoOf(undoEntries, closed, calls);
    return [
      ...withUndoEntries(open),
      set(['fold', 'redo'], stillOpen(state, open)),
      ...(undoing === null ? [] : undoClosed),
      ...(isMeanwhile ? [set(['fold', 'undoing', 'touched'], true)] : []),
    ];
  },

  lateToolSettled: (state, operation) => [...lateRecord(state, operation), ...lateEffects(state, operation)],
} satisfies Partial<AllHandlers>;

/** Returns the order of redo without the turns that were closed for it, by their entries before and after. */
function stillOpen({ undoEntries, fold }: FoldState, after: readonly UndoTurn[]): readonly string[] {
  const closed = undoEntries.flatMap(({ turnId, redoable }, index) =>
    redoable && after[index]?.redoable === false ? [turnId] : [],
  );
  return fold.redo.filter((id) => !closed.includes(id));
}

function started(
  { fold }: FoldState,
  direction: 'undo' | 'redo',
  { target, branch }: OperationOf<'undoStarted' | 'redoStarted'>,
): readonly Change[] {
  const isFinished = fold.undoing === null ? undefined : true;
  const touched = fold.undoing?.touched;
  return [
    // A branch command runs as a turn does, from its first step to its last.
    ...(branch ? [set(['isRunning'], true)] : []),
    set(['phase'], 'rolling-back'),
    set(['fold', 'undoing'], defined({ direction, target, isFinished, branch, touched })),
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

function recorded(state: FoldState, turnId: string, effect: Omit<EffectRecorded, 'type'>): readonly Change[] {
  const { callId, step, description, data, paths, irreversible } = effect;
  // Only a review shows the values.
  const { before, after } = isReviewed(state.liveTurn) ? effect : {};
  const noted = { step, description, data, paths, before, after, irreversible };
  const added = defined({ ...noted, state: 'in-effect' as const });
  const found = findUndo(state, turnId);
  if (found === undefined) return [];
  const { calls } = found.note.undo;
  const path = [...found.path, 'undo', 'calls'] as const;
  // Only a turn that was taken up runs a call again, which then records its effects again.
  const isNew = step === 1 && state.fold.turn?.resumedAt === null;
  const index = isNew ? -1 : calls.findLastIndex((call) => call.callId === callId);
  if (index >= 0) {
    const position = calls[index]!.steps.findIndex((one) => one.step === step);
    return [
      position < 0
        ? append([...path, index, 'steps'], added)
        : set([...path, index, 'steps', position], added),
      ...(irreversible ? [set([...path, index, 'irreversible'], true)] : []),
    ];
  }
  const tool = callAt(state, callId)?.call.tool ?? toolOf(state, turnId, callId);
  return tool === undefined ? [] : [append(path, { callId, tool, irreversible, steps: [added] })];
}

function toolOf({ liveTurn }: FoldState, turnId: string, callId: string): string | undefined {
  if (liveTurn?.id !== turnId) return undefined;
  const isIt = ({ id }: ToolCallView) => id === callId;
  const round = liveTurn.rounds.findLast((one) => callsOf(one).some(isIt));
  return callsOf(round).find(isIt)?.tool;
}

function moved(
  state: FoldState,
  operation: OperationOf<EffectMoved['type']>,
  to: 'reverted' | 'in-effect',
): readonly Change[] {
  const { outcome, data, moved: revisions = {} } = operation;
  const isMoved = outcome === 'success';
  if (!isMoved && data === undefined) return [];
  const found = findUndo(state, operation.turnId === undefined ? operation.target : operation.turnId);
  const calls = found?.note.undo.calls ?? [];
  const index = calls.findIndex((call) => call.callId === operation.callId);
  const position = calls[index]?.steps.findIndex(({ step }) => step === operation.step) ?? -1;
  if (position < 0) return [];
  const { steps, irreversible } = calls[index]!;
  const step = steps[position]!;
  const isWhole = !irreversible && steps.every((one) => one === step || one.state === to);
  return [
    ...noteMoves(revisions),
    set([...found!.path, 'undo', 'calls', index, 'steps', position], {
      ...step,
      ...(isMoved ? { state: to, moves: (step.moves ?? 0) + 1 } : {}),
      ...(data === undefined ? {} : { data }),
    }),
    ...(isMoved && isWhole && operation.turnId === undefined ? movedLate(state, operation, to) : []),
  ];
}

/** Records in a turn that has ended that code ended after its time, and after the undo, the redo or the turn that it was part of. */
function movedLate(
  state: FoldState,
  { callId, target }: { readonly callId: string; readonly target: string },
  to: 'reverted' | 'in-effect',
): readonly Change[] {
  const found = state.fold.undoing === null ? findTurn(state, target) : undefined;
  if (found === undefined) return [];
  const item = { toolCallId: callId, toolName: '', description: '' };
  return [set(found.path, withReverted(found.turn, [item], to === 'reverted'))];
}

/** Records the late end of a call in the record of its turn. A running turn counts the revision as its own. */
function lateRecord(
  state: FoldState,
  { callId, tool, target, settlement, moved = {} }: OperationOf<'lateToolSettled'>,
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
  // `moved` has no domain without a revision, and the call has returned there as well.
  const domains: typeof moved = { [domainOf(tool)]: {}, ...moved };
  return [
    set(found.path, record),
    ...(isRunning && reverted ? withoutOpen(state, callId) : []),
    ...(isRunning ? Object.entries(domains) : []).flatMap(([domain, { to }]) =>
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
  const change = (calls: readonly CallEffects[]) => {
    if (calls.some((call) => call.callId === callId))
      return withCalls(calls, settlement.effect === 'reverted' ? [item] : [], 'reverted');
    const late = lateCall(callId, tool, settlement);
    return late.length === 0 ? calls : [...calls, ...late];
  };
  return [...noteMoves(moved), ...noteCalls(state, target, change), ...lateWays(state, target, change)];
}

/** The changes of the order of undo where the turn of a late call is in it: its effects are in the way of others, or no more. */
function lateWays(
  state: FoldState,
  target: string,
  change: (calls: readonly CallEffects[]) => readonly CallEffects[],
): readonly Change[] {
  const { undoEntries } = state;
  if (!undoEntries.some(({ turnId }) => turnId === target)) return [];
  const calls = callsIn(state, { [target]: change(effectsOf(state, target)) });
  return [set(['undoEntries'], afterMove(undoEntries, target, calls))];
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
