import type { Operation } from '../operations/operation.js';
import type { SessionState } from './session-state.js';
import { foldedState } from './shown-turns.js';
import { StateStore } from './state-store.js';

/**
 * Returns the state after operations, in time that grows with the number of operations and not with the length of the conversation. Pure:
 * the same operations give the same state, and the given state is not changed. The operations are frozen, like the operations of a session,
 * because the state shares their objects.
 *
 * @param state the state before the first operation
 * @param operations all operations that follow the state, in order of `sequence`. Operations of an unknown type, from a newer release,
 *   change only `sequence`
 *
 * @example
 * const state = fold(initialState(), log);
 */
export function fold(state: SessionState, operations: readonly Operation[]): SessionState {
  const store = new StateStore(foldedState(state));
  for (const operation of operations) store.apply(operation);
  return store.snapshot();
}
