import type { SessionState } from './session-state.js';

/**
 * Returns a state of a session as the fold has it: without the show of a turn that starts (`StateStore.show`). A turn that the fold
 * prepares is the live turn, and not an interrupted one.
 */
export function foldedState(state: SessionState): SessionState {
  const isShown = state.phase === 'preparing' && (state.liveTurn === null || state.interrupted !== null);
  return isShown ? { ...state, isRunning: false, phase: 'idle' } : state;
}
