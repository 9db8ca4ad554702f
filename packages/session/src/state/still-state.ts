import type { FoldState, SessionState } from './session-state.js';
import { shownFields, withShownTurns, type ShownTurns } from './shown-turns.js';
import type { Field, StateSource } from './state-source.js';

/** A state that no operation changes: the state of a session whose code is not loaded yet. */
export class StillState implements StateSource {
  private shown: SessionState;
  private changed: readonly Field[] = [];

  /** @param state the state without the shown turns */
  constructor(readonly state: SessionState) {
    this.shown = state;
  }

  /** Shows turns that have no operation yet; null stops showing them. */
  show(turns: ShownTurns | null): void {
    this.shown = turns === null ? this.state : withShownTurns(this.state, turns);
    this.changed = shownFields;
  }

  snapshot(): SessionState {
    return this.shown;
  }

  take<Key extends Field>(key: Key): FoldState[Key] {
    return (this.shown as Omit<SessionState, 'fold'> as FoldState)[key];
  }

  takeChanged(): readonly Field[] {
    const { changed } = this;
    this.changed = [];
    return changed;
  }
}
