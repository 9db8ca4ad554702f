import { foldStateOf, type SessionState } from './session-state.js';

/**
 * Returns a state of a session without the show of a turn that starts (`StateStore.show`), which no operation ends. Where the fold itself
 * prepares a turn, it is the live turn, and not an interrupted one; the fold of an undo that runs meanwhile is in the notes.
 */
export function foldedState(state: SessionState): SessionState {
  const { phase, liveTurn, interrupted } = state;
  if (phase !== 'preparing' || (liveTurn !== null && interrupted === null)) return state;
  const { undoing } = foldStateOf(state).fold;
  return undoing === null || interrupted !== null
    ? { ...state, isRunning: false, phase: 'idle' }
    : { ...state, isRunning: undoing.branch !== undefined, phase: 'rolling-back' };
}
