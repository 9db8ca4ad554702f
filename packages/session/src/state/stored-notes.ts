import { sameJson } from '../json/same-json.js';
import { initialState, type SessionState } from './session-state.js';

/** Returns the state with all notes of the fold. A stored state lacks those of {@link withoutEmptyNotes} and those that are newer. */
export function withAllNotes(state: SessionState): SessionState {
  const all = notesOf(initialState());
  const notes = notesOf(state);
  return Object.keys(all).every((name) => name in notes)
    ? state
    : { ...state, fold: { ...all, ...notes } as SessionState['fold'] };
}

/** Returns the state without the notes of the fold that are as in a new session, to be stored. */
export function withoutEmptyNotes(state: SessionState): SessionState {
  const empty = notesOf(initialState());
  const notes = Object.entries(notesOf(state)).filter(([name, note]) => !sameJson(note, empty[name]));
  return { ...state, fold: Object.fromEntries(notes) as SessionState['fold'] };
}

function notesOf({ fold }: SessionState): Readonly<Record<string, unknown>> {
  return fold as unknown as Readonly<Record<string, unknown>>;
}
