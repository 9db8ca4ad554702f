import { defined } from '@banister/provider/internal/json/defined';
import type { CallEffects } from '../conversation/turn-undo.js';
import { domainOf } from '../conversation/tool-id.js';
import {
  allCallsOf,
  type LateSettlement,
  type UndoReport,
  type UndoState,
} from '../conversation/turn-record.js';
import { mapCalls } from '../conversation/map-calls.js';
import { isReviewed } from '../conversation/turn-record.js';
import type { OperationOf } from '../operations/operation.js';
import type { BranchStep } from '../operations/session-operations.js';
import type { EffectMoved, EffectRecorded } from '../operations/tool-operations.js';
import { append, set, type Change } from './change.js';
import type { AllHandlers } from './handlers.js';
import { withoutOpen } from '../review/review-handlers.js';
import type { CallsOf } from './in-the-way.js';
import { isReverted } from './open-report.js';
import { withReverted } from './reverted-calls.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { afterReturn } from './revision-notes.js';
import { callAt } from './tool-handlers.js';
import { findTurn } from './tree.js';
import { noteRevisions } from './turn-notes.js';
import { afterMove, touches, withoutRedoOf } from './moved-ways.js';
import { afterStep, isOpenForRedo, undoClosed, withUndoEntries } from './undo-entries.js';
import { isUndone, movableCalls, withGroupsAfter } from './undo-groups.js';
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

/** Handlers of effects, undo and redo. */
export const undoHandlers = {
  effectRecorded: (state, operation) => recorded(state, operation.turnId, operation),
  effectReverted: (state, operation) => moved(state, operation, 'reverted'),
  effectReapplied: (state, operation) => moved(state, operation, 'in-effect'),

  undoStarted: (state, operation) => started(state, 'undo', operation),
  redoStarted: (state, operation) => started(state, 'redo', operation),

  // In a log of an older release, `moved` is missing.
  undone: (state, { target, report, redoable: canBeMadeAgain, moved = {}, branch, child }) => {
    const after = withCalls(effectsOf(state, target), report.done, 'reverted');
    // If nothing was taken back because all effects are lost, the turn does not count as undone.
    const isLost = report.done.length === 0 && report.lost.length > 0;
    const stays = child !== undefined && !movableIn(state, target, after).every(isReverted);
    const undoState = report.failed.length === 0 && !isLost && !stays ? 'undone' : 'partly-undone';
    const by = byOf(branch);
    // `redo` never makes a turn again that a branch command took back, or one whose domain the app changed meanwhile.
    const redoable = canBeMadeAgain && by === undefined && state.fold.undoing?.touched === undefined;
    const calls = callsIn(state, { [target]: after });
    const entries = state.undoEntries.map((turn) => {
      if (turn.turnId === target) return afterStep(turn, { state: undoState, redoable, by });
      // The other undone turns began with the effects of this turn, which a branch command has taken back, so they cannot be redone.
      const isLeft = turn.state === 'undone' && undoState === 'undone' && by !== undefined;
      return isLeft ? { ...turn, redoable: false } : turn;
    });
    const isGone = undoState === 'undone' && !redoable;
    // Later turns that touched the same parts cannot be redone either, because the state with which they began is gone.
    const open = isGone ? withoutRedoOf(entries, new Set([target]), calls) : entries;
    return [
      ...noteStep(state, target, moved, (undo) => stepped(undo, moved, report.done, 'reverted')),
      ...recordUndo(state, target, report, undoState, by),
      ...withUndoEntries(withWaysAfter(state, open, target, calls)),
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

  redone: (state, { target, report, moved = {}, branch, child }) => {
    const revisions = noteStep(state, target, moved, (undo) =>
      stepped(undo, moved, report.done, 'in-effect'),
    );
    // If a redo had no success, the turn stays as it was, so that redo can be tried again.
    if (report.failed.length > 0 && report.done.length === 0)
      return [
        ...revisions,
        ...withUndoEntries(withWaysAfter(state, state.undoEntries, target, callsIn(state))),
        ...ended(branch),
      ];
    const calls = withCalls(effectsOf(state, target), report.done, 'in-effect');
    const stays = child !== undefined && movableIn(state, target, calls).some(isUndone);
    const isWhole = report.failed.length === 0 && !stays;
    const by = byOf(branch);
    const entries = state.undoEntries.map((turn) => {
      // As in `undone`: other undone turns cannot be redone after a branch command.
      if (turn.turnId !== target)
        return by !== undefined && turn.state === 'undone' ? { ...turn, redoable: false } : turn;
      return isWhole
        ? afterStep(turn, { state: 'done', redoable: true })
        : afterStep(turn, { state: 'partly-redone', redoable: turn.redoable, by });
    });
    return [
      ...revisions,
      ...recordUndo(state, target, report, isWhole ? 'redone' : 'partly-redone', by),
      ...withUndoEntries(withWaysAfter(state, entries, target, callsIn(state, { [target]: calls }))),
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
    const isClosed = (turn: UndoTurn) => isOpenForRedo(turn) && touches(calls(turn.turnId), domain);
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

/** Returns the calls of a turn that ended whose effects can be moved. */
function movableIn(state: FoldState, target: string, calls: readonly CallEffects[]): readonly CallEffects[] {
  return movableCalls(calls, findTurn(state, target)?.turn.effects ?? []);
}

/** Returns the entries with what is in their way, and in the way of their groups, after effects of a turn have moved. */
function withWaysAfter(
  state: FoldState,
  entries: readonly UndoTurn[],
  target: string,
  calls: CallsOf,
): readonly UndoTurn[] {
  return withGroupsAfter(afterMove(entries, target, calls), target, calls, (id) => findTurn(state, id)?.turn);
}

/** Returns the order of redo without the turns that were closed for it. Compares their entries before and after. */
function stillOpen({ undoEntries, fold }: FoldState, after: readonly UndoTurn[]): readonly string[] {
  const closed = undoEntries.flatMap(({ turnId, redoable }, index) =>
    redoable && after[index]?.redoable === false ? [turnId] : [],
  );
  return fold.redo.filter((id) => !closed.includes(id));
}

function started(
  { fold }: FoldState,
  direction: 'undo' | 'redo',
  { target, branch, child }: OperationOf<'undoStarted' | 'redoStarted'>,
): readonly Change[] {
  const isFinished = fold.undoing === null ? undefined : true;
  const touched = fold.undoing?.touched;
  return [
    // From its first step to its last, a branch command shows the session as running.
    ...(branch ? [set(['isRunning'], true)] : []),
    set(['phase'], 'rolling-back'),
    set(['fold', 'undoing'], defined({ direction, target, isFinished, branch, child, touched })),
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
  // The values are kept only if the turn has a review, because only a review shows them.
  const { before, after } = isReviewed(state.liveTurn) ? effect : {};
  const noted = { step, description, data, paths, before, after, irreversible };
  const added = defined({ ...noted, state: 'in-effect' as const });
  const found = findUndo(state, turnId);
  if (found === undefined) return [];
  const { calls } = found.note.undo;
  const path = [...found.path, 'undo', 'calls'] as const;
  // Only a resumed turn runs a call again, and then the call records its effects again.
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
  return tool === undefined
    ? []
    : [append(path, defined({ callId, tool, child: childIn(state, turnId), irreversible, steps: [added] }))];
}

/** Returns the id of the child turn whose view of the state it is; undefined for the root turn. */
function childIn({ liveTurn }: FoldState, turnId: string): string | undefined {
  return liveTurn === null || liveTurn.id === turnId ? undefined : liveTurn.id;
}

function toolOf({ liveTurn, fold }: FoldState, turnId: string, callId: string): string | undefined {
  if (fold.turn?.undo.turnId !== turnId) return undefined;
  return allCallsOf(liveTurn).findLast(({ id }) => id === callId)?.tool;
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

/**
 * For a turn that has ended, records a move whose code exceeded its time limit, and ended after the undo, the redo or the turn to which it
 * belonged.
 */
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

/** Records the late end of a call in the record of its turn. If the turn is running, the revision counts as its own. */
function lateRecord(
  state: FoldState,
  { callId, tool, target, settlement, moved = {} }: OperationOf<'lateToolSettled'>,
): readonly Change[] {
  const reverted = settlement.effect === 'reverted';
  const found = findTurn(state, target);
  if (found === undefined) return [];
  const record = mapCalls(found.turn, (call) =>
    call.id === callId ? { ...call, late: settlement, ...(reverted ? { reverted } : {}) } : call,
  );
  const isRunning = state.liveTurn?.id === target;
  // `moved` lacks domains without a revision, but the call has returned in its domain too.
  const domains: typeof moved = { [domainOf(tool)]: {}, ...moved };
  return [
    set(found.path, record),
    ...(isRunning && reverted ? withoutOpen(state, callId) : []),
    ...(isRunning ? Object.entries(domains) : []).flatMap(([domain, { to }]) =>
      noteRevisions(state, (notes) => afterReturn(notes, callId, domain, to)),
    ),
  ];
}

/** Records the effect of a late call. If the call ended after its turn, no other operation records its effect. */
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

/**
 * If the turn of a late call is in the order of undo, returns the changes of the order: the call's effects are now in the way of others, or
 * not any more.
 */
function lateWays(
  state: FoldState,
  target: string,
  change: (calls: readonly CallEffects[]) => readonly CallEffects[],
): readonly Change[] {
  const { undoEntries } = state;
  if (!undoEntries.some(({ turnId }) => turnId === target)) return [];
  const calls = callsIn(state, { [target]: change(effectsOf(state, target)) });
  return [set(['undoEntries'], withWaysAfter(state, undoEntries, target, calls))];
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
