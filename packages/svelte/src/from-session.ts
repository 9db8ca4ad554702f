import type { AgentSession } from '@banister/session';
import { selectionOf } from '@banister/session/binding';
import { fromSignal, type Current } from './from-signal.js';

/**
 * Returns the result of `select` for a session, for runes. Only the signals that it reads are tracked: `current` changes when the
 * result does.
 *
 * `select` must be pure and read signals only: combine state and props with its result in a `$derived`.
 *
 * @param isEqual whether two results are equal; the earlier one is kept then. Default `Object.is`; a `select` that returns a new
 *   object or array needs another one
 * @example
 * const openCalls = $derived(fromSession(session, (of) => of.activeToolCalls.value.length)); // then {openCalls.current}
 */
export function fromSession<T>(
  session: AgentSession,
  select: (session: AgentSession) => T,
  isEqual?: (a: T, b: T) => boolean,
): Current<T> {
  return fromSignal(selectionOf(session, select, isEqual));
}
