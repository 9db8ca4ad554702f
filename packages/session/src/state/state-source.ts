import type { FoldState, SessionState } from './session-state.js';

/** A field that readers follow. */
export type Field = Exclude<keyof SessionState, 'fold'>;

/** The state for readers, and its changed fields. */
export interface StateSource {
  /** Returns the whole state for keeping. It is the same object until the next change. */
  snapshot(): SessionState;
  /** Returns a field for keeping. */
  take<Key extends Field>(key: Key): FoldState[Key];
  /** Returns the fields that may have changed since the last call. */
  takeChanged(): readonly Field[];
}
