// The entry `@banister/session/follow`: a session that runs elsewhere, and the host of its commands. For transports, not for apps.
export { followSession, type FollowOptions } from './follow-session.js';
export { readAfter, type ReadAfter } from './log-tail.js';
export { isLogGone } from './lost-log.js';
export { postWhenListening } from './post-when-listening.js';
export { RECORD_VERSION } from './log-journal.js';
export { interruptedCommand, readCommand, refusal, type ReceivedCommand } from './command-messages.js';
export { Receipts, receiptsOf } from './receipts.js';
export { cancelledError } from '../errors/cancelled-error.js';
export { toSessionError } from '../errors/to-session-error.js';
export { resolvePorts } from '../ports/ports.js';
export { keepRaw } from '../signals/keep-raw.js';
export { storedState } from '../state/stored-state.js';
