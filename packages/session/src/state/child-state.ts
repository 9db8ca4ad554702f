import type { ChildTurn } from '../conversation/turn-record.js';
import type { FoldState } from './session-state.js';
import type { ChildNotes } from './turn-notes.js';

/** Returns the value at a place of the state. */
function valueAt(state: FoldState, place: ChildNotes['place']): unknown {
  let node: unknown = state;
  for (const key of place) node = (node as Record<string | number, unknown>)[key];
  return node;
}

/** Returns the record of an open child turn. */
export function recordOf(state: FoldState, { place }: ChildNotes): ChildTurn {
  return valueAt(state, place) as ChildTurn;
}

/**
 * Returns the state as the handlers and the stages of a child turn read it: its own fields over the fields of the session. After its end it
 * has no running turn. The view is valid as long as the state is.
 */
export function childState(state: FoldState, id: string): FoldState {
  const notes = state.fold.turn?.children?.[id];
  const root = state.fold.turn;
  const ended = {
    ...state,
    turns: [],
    headTurnId: id,
    activeToolCalls: [],
    pendingExtension: null,
    pendingReview: null,
  };
  if (notes === undefined || root === null) {
    // A call that was cut may return after its child turn, and its effects are those of the turn that the user sent.
    const undo = root === null ? state.fold.undo : [...state.fold.undo, root.undo];
    return { ...ended, liveTurn: null, pendingConfirmations: [], fold: { ...state.fold, turn: null, undo } };
  }
  const {
    place: _place,
    path: _path,
    callId: _callId,
    turn,
    readByModel,
    parsers,
    innerCall,
    context,
    ...fields
  } = notes;
  const record = recordOf(state, notes);
  const revisions = root.revisions && { ...root.revisions, readByModel };
  return {
    ...ended,
    ...fields,
    liveTurn: record,
    phase: record.phase,
    budget: record.budget,
    lastUsageReport: record.usage,
    pendingConfirmations: state.pendingConfirmations.filter(({ agent }) => agent?.child === id),
    fold: {
      ...state.fold,
      aside: [],
      turn: { ...turn, undo: root.undo, revisions },
      parsers,
      innerCall,
      context,
    },
  };
}

/** Returns the notes of the open child turns of a child turn, or of the root turn. */
export function openBelow(state: FoldState, id: string | undefined): readonly ChildNotes[] {
  return Object.values(state.fold.turn?.children ?? {}).filter(({ path }) => path.at(-2) === id);
}
