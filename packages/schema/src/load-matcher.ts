import type * as linearPattern from './linear-pattern.js';

/**
 * Loads the code that matches patterns in linear time. The validators receive this function as a parameter, so that their chunks share no module
 * with the first chunk of a page.
 */
export type LoadMatcher = () => typeof linearPattern | Promise<typeof linearPattern>;
