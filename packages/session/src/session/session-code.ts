import { LazyCode } from '../ports/lazy-code.js';

/**
 * Loads the code of sessions, once for all sessions of a page. It is a chunk of its own, because a page shows its chat before the user
 * writes a message.
 */
export const sessionCode = new LazyCode(() => import('./session-chunk.js'));
