import type { OperationType } from '../operations/operation.js';
import type { Handlers } from './handlers.js';
import { initialHandlers } from './initial-handlers.js';
import { lazyHandlers } from './lazy-handlers.js';

/** The handlers of all operations. The type requires one for each operation. */
export const allHandlers: Handlers<OperationType> = { ...initialHandlers, ...lazyHandlers };
