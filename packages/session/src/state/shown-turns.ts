import type { TurnRecord } from '../conversation/turn-record.js';
import { foldStateOf, type SessionState } from './session-state.js';

/** Turns without an operation, which readers see beside those of the state. The fold does not see them. */
export interface ShownTurns {
  /** The turn that starts: its record, or true where it has none yet; null while none starts. */
  readonly starting: TurnRecord | true | null;
  /** Turns that ended before their first operation, oldest first. */
  readonly ended: readonly TurnRecord[];
}

/** The fields that show them. */
export const shownFields = ['isRunning', 'phase', 'liveTurn', 'turns', 'lastOutcome', 'lastError'] as const;

/** The state as the fold has it, by the state that is shown in its place. */
const folded = new WeakMap<SessionState, SessionState>();

/** Returns a state of a session as the fold has it, without the turns that {@link withShownTurns} adds; in a copy, without the one that starts. */
export function foldedState(state: SessionState): SessionState {
  const known = folded.get(state);
  if (known !== undefined) return known;
  const isStart = state.phase === 'preparing' && !foldStateOf(state).fold.turn;
  if (!isStart) return state;
  return {
    ...state,
    isRunning: false,
    phase: 'idle',
    liveTurn: null,
    lastError: state.lastOutcome?.error ?? null,
  };
}

/** Returns the state with turns that have no operation yet. */
export function withShownTurns(state: SessionState, { starting, ended }: ShownTurns): SessionState {
  const outcome = ended.at(-1)?.outcome ?? null;
  const shown: SessionState = {
    ...state,
    ...(outcome && {
      turns: [...state.turns, ...ended],
      lastOutcome: outcome,
      lastError: outcome.error ?? null,
    }),
    ...(starting && { isRunning: true, phase: 'preparing' }),
    ...(starting && starting !== true && { liveTurn: starting }),
    ...((starting || state.isRunning) && { lastError: null }),
  };
  folded.set(shown, state);
  return shown;
}
