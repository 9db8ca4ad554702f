import type { UndoReport, UndoState } from '../conversation/turn-record.js';
import type { SessionOperation } from '../operations/session-operations.js';
import { set, type Change } from './change.js';
import type { Handlers } from './handlers.js';
import type { FoldState, UndoTurn } from './session-state.js';
import { mapCalls, withReverted } from './reverted-calls.js';
import { afterReturn } from './revision-notes.js';
import { noteRevisions } from './turn-notes.js';
import { undoClosed, withUndoEntries } from './turn-handlers.js';

export const sessionHandlers: Handlers<SessionOperation['type']> = {
  configured: () => [],

  undoStarted: () => [set(['phase'], 'rolling-back'), ...undoClosed],
  redoStarted: () => [set(['phase'], 'rolling-back'), ...undoClosed],

  undone: (state, { target, report, redoable }) => {
    const undoState = report.failed.length === 0 ? 'undone' : 'partly-undone';
    return [
      set(['phase'], 'idle'),
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
      return [set(['phase'], 'idle'), ...undoTurns(state, (turn) => turn)];
    const isWhole = report.failed.length === 0;
    return [
      set(['phase'], 'idle'),
      ...recordUndo(state, target, report, isWhole ? 'redone' : 'partly-redone'),
      ...undoTurns(state, (turn) =>
        turn.turnId === target ? { ...turn, state: isWhole ? 'done' : 'partly-redone' } : turn,
      ),
    ];
  },

  // A log of an older release has no `moved`.
  lateToolSettled: (state, { callId, target, settlement, moved = {} }) => {
    const reverted = settlement.effect === 'reverted';
    const mark = (record: FoldState['turns'][number]) =>
      mapCalls(record, (part) =>
        part.type === 'tool-call' && part.id === callId
          ? { ...part, late: settlement, ...(reverted ? { reverted } : {}) }
          : part,
      );
    if (state.liveTurn?.id === target)
      return [
        set(['liveTurn'], mark(state.liveTurn)),
        ...Object.entries(moved).flatMap(([domain, { to }]) =>
          noteRevisions(state, (notes) => afterReturn(notes, callId, domain, to)),
        ),
      ];
    const index = state.turns.findLastIndex((turn) => turn.id === target);
    return index < 0 ? [] : [set(['turns', index], mark(state.turns[index]!))];
  },

  conversationReplaced: (state, { removed }) => {
    const ids = new Set(removed);
    return [
      set(
        ['conversation', 'messages'],
        state.conversation.messages.filter((message) => !ids.has(message.id)),
      ),
    ];
  },

  ownerChanged: () => [],

  disposed: () => [set(['isRunning'], false), set(['phase'], 'idle')],
};

/** Records the result of an undo or a redo in the record of its turn. Other turns keep their identity. */
function recordUndo(
  state: FoldState,
  target: string,
  report: UndoReport,
  undoState: UndoState,
): readonly Change[] {
  const index = state.turns.findLastIndex((turn) => turn.id === target);
  if (index < 0) return [];
  const record = withReverted(
    state.turns[index]!,
    report.done,
    undoState === 'undone' || undoState === 'partly-undone',
  );
  return [set(['turns', index], { ...record, undo: { state: undoState, report } })];
}

function undoTurns(state: FoldState, change: (turn: UndoTurn) => UndoTurn): readonly Change[] {
  return withUndoEntries(state.undoEntries.map(change));
}
