import { LazyCode } from '../ports/lazy-code.js';

/** The module of reviews: a chunk of its own, fetched in the background with that of turns. */
export const reviewCode = new LazyCode(() => import('./review-chunk.js'));
