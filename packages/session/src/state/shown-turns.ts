import type { TurnRecord } from '../conversation/turn-record.js';
import { foldStateOf, type SessionState } from './session-state.js';

/** A turn without an operation that readers see in addition to the turns of the state. The fold does not see it. */
export interface ShownTurn {
  /** null for a turn that starts and has no record yet. */
  readonly record: TurnRecord | null;
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

/** Returns the state including turns that have no operation yet, in the order of their calls. */
export function withShownTurns(state: SessionState, turns: readonly ShownTurn[]): SessionState {
  const ended = turns.flatMap(({ record }) => (record?.outcome ? record : []));
  const isStarting = turns.length > ended.length;
  const starting = turns.find(({ record }) => record?.outcome === null)?.record;
  const outcome = ended.at(-1)?.outcome ?? null;
  const shown: SessionState = {
    ...state,
    ...(outcome && {
      turns: [...state.turns, ...ended],
      lastOutcome: outcome,
      lastError: outcome.error ?? null,
    }),
    // Behind a turn that runs meanwhile, for example while the files of a message are read, that turn is shown.
    ...(isStarting && !state.isRunning && { isRunning: true, phase: 'preparing' }),
    ...(starting && { liveTurn: starting }),
    ...((isStarting || state.isRunning) && { lastError: null }),
  };
  folded.set(shown, state);
  return shown;
}
