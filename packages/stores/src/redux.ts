import { AgentSessionError } from '@banister/session';
import type { RootsOf, StoreAdapter } from './adapter.js';
import { apply } from './move.js';
import type { Patch } from './patch.js';

/** The part of a Redux store that is used. */
export interface ReduxStore<T = unknown> {
  getState(): T;
  dispatch(action: PatchAction): unknown;
  subscribe(listener: () => void): () => void;
}

/** The action that undoes or redoes changes. It is plain data, as Redux requires. */
export interface PatchAction {
  readonly type: typeof PATCHED;
  readonly payload: { readonly moves: readonly Patch[]; readonly key: string };
}

/** The type of {@link PatchAction}, for the app's own middleware. */
export const PATCHED = 'banister/patched';

/** Marks a store that has the enhancer. All copies of the package on a page share the mark. */
const enhanced = Symbol.for('@banister/stores/redux');

// The type of an enhancer, without the types of Redux: it takes and returns stores of any state.
/* eslint-disable @typescript-eslint/no-explicit-any */
type Reducer = (state: any, action: any) => any;

/**
 * The enhancer of a store for `reduxStore`: its reducer handles the action that undoes and redoes changes.
 *
 * @example
 * const store = configureStore({ reducer, enhancers: (standard) => standard().concat(undoableEnhancer) });
 */
export const undoableEnhancer: any =
  (createStore: (reducer: Reducer, ...rest: unknown[]) => any) =>
  (reducer: Reducer, ...rest: unknown[]) => {
    const store = createStore(patched(reducer), ...rest);
    const replaceReducer = (next: Reducer) => store.replaceReducer(patched(next));
    return { ...store, replaceReducer, [enhanced]: true };
  };

function patched(reducer: Reducer): Reducer {
  return (state, action) => {
    if (action?.type !== PATCHED) return reducer(state, action);
    const { moves, key } = (action as PatchAction).payload;
    return apply(state, moves, key);
  };
}
/* eslint-enable @typescript-eslint/no-explicit-any */

/**
 * The adapter of a Redux store with {@link undoableEnhancer}. Every undo and every redo is one action, `banister/patched`, which
 * subscribers, middleware and devtools see.
 *
 * @throws AgentSessionError `invalid-configuration` if the store has no enhancer
 * @example
 * const board = undoable(reduxStore(store), { roots: ['cards'] });
 */
export function reduxStore<T>(store: ReduxStore<T>): StoreAdapter<RootsOf<T>> {
  if (!(enhanced in store))
    throw new AgentSessionError(
      'invalid-configuration',
      'reduxStore needs a store with undoableEnhancer: configureStore({ enhancers: (standard) => standard().concat(undoableEnhancer) }).',
    );
  return {
    read: () => store.getState(),
    write: (_next, moves, key) => void store.dispatch({ type: PATCHED, payload: { moves, key } }),
    subscribe: (changed) => store.subscribe(changed),
  };
}
