import type { TurnRecord } from '../conversation/turn-record.js';
import type { FoldState, SessionState } from './session-state.js';
import { shownFields, withShownTurns, type ShownTurn } from './shown-turns.js';
import type { Field, StateSource } from './state-source.js';

/**
 * The state of a session as readers see it: the folded state, with the turns that have no operation yet. It is the state of a new session
 * until `readFrom` is called.
 */
export class ShownState implements StateSource {
  private source: StateSource | null = null;
  private turns: readonly ShownTurn[] = [];
  /** The fields that changed, in addition to those of the source. */
  private changed: readonly Field[] = [];
  /** The last state that was shown with turns, and the folded state below it. */
  private latest: { readonly folded: SessionState; readonly shown: SessionState } | null = null;

  /** @param empty the state of a new session */
  constructor(readonly empty: SessionState) {}

  /** From now on shows the state of a source. The next publication shows all its fields. */
  readFrom(source: StateSource): void {
    const { fold: _fold, ...fields } = source.snapshot();
    this.source = source;
    this.changed = Object.keys(fields) as Field[];
  }

  /**
   * Shows a turn that has no operation yet, from the next publication on. Returns the function that stops showing it, from the publication
   * after its call on.
   *
   * @param record the record of a turn that starts, or of a turn that has ended; null for a turn that starts and has no record yet
   */
  show(record: TurnRecord | null): () => void {
    const turn: ShownTurn = { record };
    this.change([...this.turns, turn]);
    return () => {
      if (this.turns.includes(turn)) this.change(this.turns.filter((one) => one !== turn));
    };
  }

  snapshot(): SessionState {
    const folded = this.source?.snapshot() ?? this.empty;
    if (this.turns.length === 0) return folded;
    if (this.latest?.folded !== folded) this.latest = { folded, shown: withShownTurns(folded, this.turns) };
    return this.latest.shown;
  }

  take<Key extends Field>(key: Key): FoldState[Key] {
    if (this.turns.length === 0 && this.source !== null) return this.source.take(key);
    return (this.snapshot() as Omit<SessionState, 'fold'> as FoldState)[key];
  }

  takeChanged(): readonly Field[] {
    const folded = this.source?.takeChanged() ?? [];
    const { changed, turns } = this;
    if (changed.length === 0 && turns.length === 0) return folded;
    this.changed = [];
    // While turns are shown, each of their fields also depends on other fields.
    return [...new Set([...folded, ...changed, ...(turns.length > 0 ? shownFields : [])])];
  }

  private change(turns: readonly ShownTurn[]): void {
    this.turns = turns;
    this.latest = null;
    this.changed = [...this.changed, ...shownFields];
  }
}
