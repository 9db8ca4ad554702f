import { leafChanges } from './child-handlers.js';
import { commandHandlers } from './command-handlers.js';
import { compactionHandlers } from '../compaction/compaction-handlers.js';
import { confirmationHandlers } from '../consent/confirmation-handlers.js';
import { consentHandlers } from '../consent/consent-handlers.js';
import { discoveryHandlers } from '../discovery/discovery-handlers.js';
import { effectHandlers } from './effect-handlers.js';
import { extensionHandlers } from '../extension/extension-handlers.js';
import type { AllHandlers } from './handlers.js';
import { headHandlers } from './head-handlers.js';
import { middlewareHandlers } from '../middleware/middleware-handlers.js';
import { modelHandlers } from './model-handlers.js';
import { ownerHandlers } from './owner-handlers.js';
import { queueHandlers } from '../queue/queue-handlers.js';
import { reviewHandlers } from '../review/review-handlers.js';
import { roundHandlers } from './round-handlers.js';
import { sessionHandlers } from './session-handlers.js';
import { structuredHandlers } from '../structured/structured-handlers.js';
import { toolHandlers } from './tool-handlers.js';
import { turnHandlers } from './turn-handlers.js';
import { undoHandlers } from './undo-handlers.js';

/** The handlers of all operations. The type requires a handler for each operation. */
export const allHandlers: AllHandlers = {
  subagent: (state, leaf) => leafChanges(allHandlers, state, leaf),
  ...sessionHandlers,
  ...turnHandlers,
  ...ownerHandlers,
  ...roundHandlers,
  ...modelHandlers,
  ...middlewareHandlers,
  ...structuredHandlers,
  ...discoveryHandlers,
  ...toolHandlers,
  ...confirmationHandlers,
  ...consentHandlers,
  ...undoHandlers,
  ...effectHandlers,
  ...reviewHandlers,
  ...extensionHandlers,
  ...headHandlers,
  ...compactionHandlers,
  ...queueHandlers,
  ...commandHandlers,
};
