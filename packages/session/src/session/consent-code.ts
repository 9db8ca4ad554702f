import { LazyCode } from '../ports/lazy-code.js';

/** The module of guards, questions, modes and grants, and of requests for more of a limit: a chunk of its own, fetched in the background with that of turns. */
export const consentCode = new LazyCode(() => import('./consent-chunk.js'));
