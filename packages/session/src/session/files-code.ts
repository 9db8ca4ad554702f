import { LazyCode } from '../ports/lazy-code.js';

/** The module that reads files: a chunk of its own, fetched with the first file. */
export const filesCode = new LazyCode(() => import('./read-files.js'));
