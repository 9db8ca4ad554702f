import type { Operation } from '../operations/operation.js';
import type { SessionState } from './session-state.js';
import { foldedState } from './shown-turns.js';
import { StateStore } from './state-store.js';

/** Returns the state after operations. The public `fold` calls it; code that is loaded late imports this function. */
export function foldOperations(state: SessionState, operations: readonly Operation[]): SessionState {
  const store = new StateStore(foldedState(state));
  for (const operation of operations) store.apply(operation);
  return store.snapshot();
}
