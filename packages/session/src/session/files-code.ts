import { LazyCode } from '../ports/lazy-code.js';

/** Loads the module that reads files, a chunk of its own, when the first file is sent. */
export const filesCode = new LazyCode(() => import('./read-files.js'));
