import type { UndoReport, UndoState } from '../conversation/turn-record.js';
import type { SessionOperation } from '../operations/session-operations.js';
import { set, type Change } from './change.js';
import type { Handlers } from './handlers.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { mapCalls, withReverted } from './reverted-calls.js';
import { afterReturn } from './revision-notes.js';
import { findTurn, moveHead, stayingAfter } from './tree.js';
import { noteRevisions } from './turn-notes.js';
import { undoClosed, withUndoEntries } from './turn-handlers.js';

export const sessionHandlers: Handlers<Exclude<SessionOperation['type'], 'ownerChanged'>> = {
  configured: () => [],

  undoStarted: (_state, { target }) => undoing('undo', target),
  redoStarted: (_state, { target }) => undoing('redo', target),

  undone: (state, { target, report, redoable }) => {
    const undoState = report.failed.length === 0 ? 'undone' : 'partly-undone';
    return [
      ...undoEnded,
      ...recordUndo(state, target, report, undoState),
      ...undoTurns(state, (turn) => {
        if (turn.turnId === target) return { ...turn, state: undoState, redoable };
        // The turns after one that cannot be redone cannot be redone either: the state that they began with is lost.
        const lost = turn.state === 'undone' && undoState === 'undone' && !redoable;
        return lost ? { ...turn, redoable: false } : turn;
      }),
    ];
  },

  redone: (state, { target, report }) => {
    // A redo without a success leaves the turn as it was, so that it can be tried again.
    if (report.failed.length > 0 && report.done.length === 0)
      return [...undoEnded, ...undoTurns(state, (turn) => turn)];
    const isWhole = report.failed.length === 0;
    return [
      ...undoEnded,
      ...recordUndo(state, target, report, isWhole ? 'redone' : 'partly-redone'),
      ...undoTurns(state, (turn) =>
        turn.turnId === target ? { ...turn, state: isWhole ? 'done' : 'partly-redone' } : turn,
      ),
    ];
  },

  // A log of an older release has no `moved`.
  lateToolSettled: (state, { callId, target, settlement, moved = {} }) => {
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
  },

  headMoved: (state, { to, stays }) => moveHead(state, to, stays),

  // Version 0.1 wrote it where a retry moves the head today: the messages are those of the last turn.
  conversationReplaced: (state, { removed }) => {
    const last = state.turns.at(-1);
    if (last === undefined || !removed.some((id) => last.messageIds.includes(id))) return [];
    return moveHead(state, last.parentId, stayingAfter([last], state));
  },

  disposed: () => [set(['isRunning'], false), set(['phase'], 'idle')],
};

function undoing(direction: 'undo' | 'redo', target: string): readonly Change[] {
  return [
    set(['phase'], 'rolling-back'),
    set(['fold', 'undoing'], { direction, target }),
    set(['interrupted'], null),
    ...undoClosed,
  ];
}

const undoEnded: readonly Change[] = [set(['phase'], 'idle'), set(['fold', 'undoing'], null)];

/** Records the result of an undo or a redo in the record of its turn. Other turns keep their identity. */
function recordUndo(
  state: FoldState,
  target: string,
  report: UndoReport,
  undoState: UndoState,
): readonly Change[] {
  const found = findTurn(state, target);
  if (found === undefined) return [];
  const record = withReverted(
    found.turn,
    report.done,
    undoState === 'undone' || undoState === 'partly-undone',
  );
  return [set(found.path, { ...record, undo: { state: undoState, report } })];
}

function undoTurns(state: FoldState, change: (turn: UndoTurn) => UndoTurn): readonly Change[] {
  return withUndoEntries(state.undoEntries.map(change));
}
