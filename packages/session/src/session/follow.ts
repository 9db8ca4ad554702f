// The entry `@banister/session/follow`: a session that runs elsewhere, and the host of its commands. For transports, not for apps.
export { followSession, type FollowOptions } from './follow-session.js';
export { readAfter, type ReadAfter } from '../log/log-tail.js';
export { isLogGone } from '../log/lost-log.js';
export { postWhenListening } from '../log/post-when-listening.js';
export { recordVersion } from '../log/log-journal.js';
export { readCommand, refusal, type ReceivedCommand } from './command-messages.js';
export { Receipts, receiptsOf } from './receipts.js';
export { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
export { toSessionError } from '@banister/provider/internal/errors/to-session-error';
export { resolvePorts } from '../ports/ports.js';
export { keepRaw } from '../signals/keep-raw.js';
export { savedState } from '../state/stored-state.js';
