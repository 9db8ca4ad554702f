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

/** The fields of which `activeToolCalls` is a view. */
const sourcesOfActiveCalls: ReadonlySet<string> = new Set(['liveTurn', 'fold']);

/**
 * The one writer of a session's state. Folds operations into a draft in place; hands out immutable values that share
 * everything that did not change.
 */
export class StateStore {
  private readonly draft: Draft<FoldState>;
  private latest: SessionState | undefined;
  private changed = new Set<keyof SessionState>();
  /** The set that was handed out last, to be used again: a set per delta would be the larger part of its garbage. */
  private spare = new Set<keyof SessionState>();
  private activeCallsAreOld = false;

  constructor(state: SessionState) {
    this.draft = new Draft(state as FoldState);
  }

  apply(operation: Operation): void {
    const changes = reduce(this.draft.current, operation);
    if (changes.length === 0) return;
    this.draft.apply(changes);
    this.latest = undefined;
    for (const { path } of changes) {
      const key = path[0];
      if (sourcesOfActiveCalls.has(key)) {
        this.activeCallsAreOld = true;
        this.changed.add('activeToolCalls');
      }
      if (key !== 'fold') this.changed.add(key as keyof SessionState);
    }
  }

  /** One field as it is now, to keep. */
  take<Key extends keyof SessionState>(key: Key): SessionState[Key] {
    if (key === 'activeToolCalls') this.deriveActiveCalls();
    return this.draft.take(key);
  }

  /** The whole state as it is now, to keep. */
  snapshot(): SessionState {
    this.deriveActiveCalls();
    this.latest ??= this.draft.takeAll();
    return this.latest;
  }

  /** The fields that may have changed since the last call; the set is good until the next one. */
  takeChanged(): ReadonlySet<keyof SessionState> {
    const { changed, spare } = this;
    spare.clear();
    this.changed = spare;
    this.spare = changed;
    return changed;
  }

  /** The active calls are nodes of the live turn: whoever takes the one, takes the other. */
  private deriveActiveCalls(): void {
    if (!this.activeCallsAreOld) return;
    this.activeCallsAreOld = false;
    this.draft.take('liveTurn');
    const calls = activeCallsOf(this.draft.current);
    if (calls === this.draft.current.activeToolCalls) return;
    this.draft.apply([{ kind: 'set', path: ['activeToolCalls'], value: calls }]);
  }
}
