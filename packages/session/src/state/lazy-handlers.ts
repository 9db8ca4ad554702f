import { confirmationHandlers } from './confirmation-handlers.js';
import type { Handlers, LazyType } from './handlers.js';
import { ownerHandlers } from './owner-handlers.js';
import { modelHandlers } from './model-handlers.js';
import { roundHandlers } from './round-handlers.js';
import { toolHandlers } from './tool-handlers.js';
import { undoHandlers } from './undo-handlers.js';

/** Handlers of the operations that only `turn/` emits; they are loaded with it. */
export const lazyHandlers: Handlers<LazyType> = {
  ...ownerHandlers,
  ...roundHandlers,
  ...modelHandlers,
  ...toolHandlers,
  ...confirmationHandlers,
  ...undoHandlers,
};
