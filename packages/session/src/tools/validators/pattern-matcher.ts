import { LazyCode } from '../../ports/lazy-code.js';

/** The code that matches patterns in linear time: a chunk of its own, fetched for schemas with patterns that need it. */
export const patternMatcher = new LazyCode(() => import('./linear-pattern.js'));
