import type { Operation, OperationType } from '../operations/operation.js';
import type { Handlers } from './handlers.js';
import { lazyHandlers } from './lazy-handlers.js';
import { initialHandlers } from './initial-handlers.js';
import type { SessionState } from './session-state.js';
import { StateStore } from './state-store.js';

/** The handlers of all operations. The type requires one for each operation. */
const allHandlers: Handlers<OperationType> = { ...initialHandlers, ...lazyHandlers };

/**
 * Returns the state after an operation. Pure: a replay of the same operations gives the same state, and the given state is not
 * changed. Apply all operations, in order of `sequence`; those of an unknown type, from a newer release, change nothing.
 *
 * @example
 * let mirror = initialState();
 * session.operations$.subscribe((operation) => { mirror = apply(mirror, operation); });
 */
export function apply(state: SessionState, operation: Operation): SessionState {
  const store = new StateStore(state, allHandlers);
  store.apply(operation);
  return store.snapshot();
}
