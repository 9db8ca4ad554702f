import { LazyCode } from '../ports/lazy-code.js';

/**
 * Loads the code of logs and journals, once for all sessions of a page. It is a chunk of its own, because most sessions have neither a log
 * nor a journal.
 */
export const logCode = new LazyCode(() => import('./log-chunk.js'));
