import type { Operation, OperationType } from '../operations/operation.js';
import type { Handlers } from './handlers.js';
import type { SessionState } from './session-state.js';
import { withAllNotes } from './stored-notes.js';
import { StateStore } from './state-store.js';

/** Returns the state after operations, with these handlers. */
export function foldWith(
  handlers: Handlers<OperationType>,
  state: SessionState,
  operations: readonly Operation[],
): SessionState {
  const store = new StateStore(withAllNotes(state), handlers);
  for (const operation of operations) store.apply(operation);
  return store.snapshot();
}
