import type { Operation } from '../operations/operation.js';
import { fold } from './fold.js';
import type { SessionState } from './session-state.js';

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
