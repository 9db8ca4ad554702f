import type { OperationType } from '../operations/operation.js';
import type { Handlers, InnerType } from './handlers.js';
import { sessionHandlers } from './session-handlers.js';
import { turnHandlers } from './turn-handlers.js';

/** Operations that can happen before the code of turns is loaded: those of the session, and a turn's two ends. */
export const outerHandlers: Handlers<Exclude<OperationType, InnerType>> = {
  ...sessionHandlers,
  ...turnHandlers,
};
