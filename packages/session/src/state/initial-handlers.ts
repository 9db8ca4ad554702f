import type { OperationType } from '../operations/operation.js';
import type { Handlers, LazyType } from './handlers.js';
import { sessionHandlers } from './session-handlers.js';
import { turnHandlers } from './turn-handlers.js';

/**
 * Handlers of the operations that can occur before `turn/` is loaded: those of the session, of the start and of the end of a
 * turn.
 */
export const initialHandlers: Handlers<Exclude<OperationType, LazyType>> = {
  ...sessionHandlers,
  ...turnHandlers,
};
