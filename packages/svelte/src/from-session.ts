import type { AgentSession } from '@banister/session';
import { selectionOf } from '@banister/session/binding';
import { fromSignal, type Current } from './from-signal.js';

/**
 * Returns the result of `select` for a session, for runes. It tracks only the signals that `select` reads: `current` changes when the
 * result changes.
 *
 * `select` must be pure and read signals only: combine state and props with its result in a `$derived`.
 *
 * @param isEqual whether two results are equal; if so, the earlier result is kept. Default `Object.is`; pass a function if `select`
 *   returns a new object or array each time
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
