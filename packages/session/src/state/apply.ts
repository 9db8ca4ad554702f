import type { Operation } from '../operations/operation.js';
import { foldOperations } from './fold-operations.js';
import type { SessionState } from './session-state.js';

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
  return foldOperations(state, operations);
}

/**
 * Returns the state after one operation. For many operations {@link fold} is faster: each call of `apply` copies the parts of the state
 * that the operation changes, however long they are.
 *
 * @example
 * let mirror = session.state;
 * session.operations$.subscribe((operation) => { mirror = apply(mirror, operation); });
 */
export function apply(state: SessionState, operation: Operation): SessionState {
  return fold(state, [operation]);
}
