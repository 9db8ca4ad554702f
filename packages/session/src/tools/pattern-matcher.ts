import { systemClock } from '@banister/provider/internal/port/clock';
import type * as linearModule from '@banister/schema/patterns';
import { LazyCode } from '../ports/lazy-code.js';

/** Loads the code that matches patterns in linear time. It is a chunk of its own, loaded for schemas with patterns that need it. */
export const patternMatcher = new LazyCode<typeof linearModule>(() => import('@banister/schema/patterns'));

/**
 * Loads the matcher. The validators receive this function as a parameter, so that their chunks share no module with the first chunk of a
 * page.
 */
export type LoadMatcher = () => typeof linearModule | Promise<typeof linearModule>;

export const loadMatcher: LoadMatcher = () => patternMatcher.get(systemClock);
