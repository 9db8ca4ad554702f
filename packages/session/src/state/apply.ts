import type { Operation, OperationType } from '../operations/operation.js';
import type { Handlers } from './handlers.js';
import { lazyHandlers } from './lazy-handlers.js';
import { initialHandlers } from './initial-handlers.js';
import type { SessionState } from './session-state.js';
import { StateStore } from './state-store.js';

/** Every operation has a handler: a missing one does not compile. */
const allHandlers: Handlers<OperationType> = { ...initialHandlers, ...lazyHandlers };

/**
 * The state after an operation. Pure: the same operations give the same state wherever they are replayed, and the given
 * state stays as it is. For one operation at a time, in order of sequence.
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
