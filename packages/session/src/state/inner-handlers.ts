import { confirmationHandlers } from './confirmation-handlers.js';
import type { Handlers, InnerType } from './handlers.js';
import { modelHandlers } from './model-handlers.js';
import { roundHandlers } from './round-handlers.js';
import { toolHandlers } from './tool-handlers.js';

/** Operations that only the code of turns makes; they are folded by what comes along with it. */
export const innerHandlers: Handlers<InnerType> = {
  ...roundHandlers,
  ...modelHandlers,
  ...toolHandlers,
  ...confirmationHandlers,
};
