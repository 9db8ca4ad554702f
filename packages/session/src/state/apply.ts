import type { Operation } from '../operations/operation.js';
import { Draft } from './change.js';
import { reduce } from './handlers.js';
import { activeCallsOf, type FoldState, type SessionState } from './session-state.js';

/**
 * The state after an operation. Pure: the same operations give the same state wherever they are replayed, and the given
 * state stays as it is. For one operation at a time, in order of sequence.
 *
 * @example
 * let mirror = initialState();
 * session.operations$.subscribe((operation) => { mirror = apply(mirror, operation); });
 */
export function apply(state: SessionState, operation: Operation): SessionState {
  const store = new StateStore(state);
  store.apply(operation);
  return store.snapshot();
}

/** Fields that follow from others. */
const sourcesOfActiveCalls: ReadonlySet<string> = new Set(['liveTurn', 'fold']);

/**
 * The one writer of a session's state. Folds operations into a draft in place; hands out immutable snapshots that share
 * everything that did not change.
 */
export class StateStore {
  private readonly draft: Draft<FoldState>;
  private latest: SessionState | undefined;
  private changed = new Set<keyof SessionState>();
  private activeCallsAreOld = false;

  constructor(state: SessionState) {
    this.draft = new Draft(state as FoldState);
  }

  /** For reading between operations only: what it refers to changes with the next one. */
  get current(): FoldState {
    return this.draft.current;
  }

  apply(operation: Operation): void {
    const changes = reduce(this.draft.current, operation);
    if (changes.length === 0) return;
    this.draft.apply(changes);
    this.latest = undefined;
    for (const { path } of changes) {
      const key = path[0];
      if (sourcesOfActiveCalls.has(key)) this.activeCallsAreOld = true;
      if (key !== 'fold') this.changed.add(key as keyof SessionState);
    }
  }

  /** An immutable picture of the state as it is now. */
  snapshot(): SessionState {
    this.settle();
    this.latest ??= { ...this.draft.current };
    return this.latest;
  }

  /** The fields that changed since the last call, for whoever publishes them one by one. */
  takeChanged(): ReadonlySet<keyof SessionState> {
    this.settle();
    const changed = this.changed;
    if (changed.size > 0) this.changed = new Set();
    return changed;
  }

  /** Brings derived fields up to date and lets go of everything that was changed in place. */
  private settle(): void {
    if (this.activeCallsAreOld) {
      this.activeCallsAreOld = false;
      const calls = activeCallsOf(this.draft.current);
      if (calls !== this.draft.current.activeToolCalls) {
        this.draft.apply([{ kind: 'set', path: ['activeToolCalls'], value: calls }]);
        this.changed.add('activeToolCalls');
      }
    }
    this.draft.share();
  }
}
