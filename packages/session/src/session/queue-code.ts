import { LazyCode } from '../ports/lazy-code.js';
import type * as queueModule from './queue.js';

/** The module with the commands of the queue: a chunk of its own, fetched in the background with that of turns. */
export const queueCode = new LazyCode<typeof queueModule>(() => import('./queue.js'));
