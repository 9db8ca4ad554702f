import { sameJson } from '../json/same-json.js';
import { initialState } from './initial-state.js';
import type { SessionState } from './session-state.js';
import { foldedState } from './shown-turns.js';

type Notes = SessionState['fold'];

/**
 * Returns a stored state with all fields and notes, so that operations can be folded on it. A stored state lacks the notes that
 * {@link withoutEmptyNotes} leaves out. If an earlier release stored it, it also lacks the fields and notes that were added since.
 */
export function withAllNotes(given: SessionState): SessionState {
  const state = foldedState(given);
  const empty = initialState();
  return { ...empty, ...state, fold: { ...(empty.fold as object), ...(state.fold as object) } as Notes };
}

/** Returns the state for storing, without the notes of the fold that are the same as in a new session. */
export function withoutEmptyNotes(state: SessionState): SessionState {
  const empty = initialState().fold as { readonly [name: string]: unknown };
  const notes = Object.entries(state.fold as object).filter(([name, note]) => !sameJson(note, empty[name]));
  return { ...state, fold: Object.fromEntries(notes) as Notes };
}
