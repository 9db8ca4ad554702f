import type { Middleware } from './middleware.js';
import { LazyCode } from '../ports/lazy-code.js';
import type { PartSettings } from '../turn/turn-parts.js';

/**
 * Loads the stages of middleware, once for all sessions of a page. They are a chunk of their own, because most sessions have no middleware.
 */
const middlewareCode = new LazyCode(() => import('./hook-stages.js'));

/** Returns the stages of a list of middleware, loaded when they are first needed; null for an empty list. */
export function hooksOf(list: readonly Middleware[]): PartSettings['hooks'] {
  return list.length === 0 ? null : loadedHooks(list);
}

/**
 * Returns the stages of a list of middleware, even of an empty list: the stages also carry out the decisions that hooks made in an earlier
 * session.
 */
export function loadedHooks(list: readonly Middleware[]): NonNullable<PartSettings['hooks']> {
  return async (clock, agent) => (await middlewareCode.get(clock)).stagesOf(list, agent);
}
