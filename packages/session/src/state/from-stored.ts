import type { Operation } from '../operations/operation.js';
import type { SessionState } from './session-state.js';
import { StateStore } from './state-store.js';
import { wholeOperations } from './whole-operations.js';

/**
 * Returns the operations of a stored record, including the fields that `toStored` left out and that can be read from the state. The request
 * of a model call stays left out. Pure.
 *
 * @param state the state before the record
 *
 * @example
 * for (const record of records) state = fromStored(state, record).reduce(apply, state);
 */
export function fromStored(
  state: SessionState,
  { operations }: { readonly operations: readonly Operation[] },
): Operation[] {
  return wholeOperations(new StateStore(state), operations);
}
