import type { TurnRecord } from '../conversation/turn-record.js';
import { foldStateOf, type SessionState } from './session-state.js';

/** Turns without an operation that readers see in addition to the turns of the state. The fold does not see them. */
export interface ShownTurns {
  /** The turn that starts: its record, or true if it has no record yet; null if no turn starts. */
  readonly starting: TurnRecord | true | null;
  /** Turns that ended before their first operation, oldest first. */
  readonly ended: readonly TurnRecord[];
}

/** The fields that change when such turns are shown. */
export const shownFields = ['isRunning', 'phase', 'liveTurn', 'turns', 'lastOutcome', 'lastError'] as const;

/** For each shown state, the folded state that it replaces. */
const folded = new WeakMap<SessionState, SessionState>();

/**
 * Returns a state of a session as the fold made it, without the turns that {@link withShownTurns} adds. From a copy of a state, only the
 * turn that starts can be removed.
 */
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

/** Returns the state including turns that have no operation yet. */
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
