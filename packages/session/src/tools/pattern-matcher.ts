import { systemClock } from '@banister/provider/internal/port/clock';
import type { LoadMatcher } from '@banister/schema';
import type * as linearPattern from '@banister/schema/patterns';
import { LazyCode } from '../ports/lazy-code.js';

/** Loads the code that matches patterns in linear time. It is a chunk of its own, loaded for schemas with patterns that need it. */
export const patternMatcher = new LazyCode<typeof linearPattern>(() => import('@banister/schema/patterns'));

/** Loads the matcher for a validator. */
export const loadMatcher: LoadMatcher = () => patternMatcher.get(systemClock);
