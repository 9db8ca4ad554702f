import type { OperationType } from '../operations/operation.js';
import type { Handlers, LazyType } from './handlers.js';
import { sessionHandlers } from './session-handlers.js';
import { turnHandlers } from './turn-handlers.js';

/** Handlers of the operations that can happen before the code of turns is loaded: those of the session, and a turn's two ends. */
export const initialHandlers: Handlers<Exclude<OperationType, LazyType>> = {
  ...sessionHandlers,
  ...turnHandlers,
};
