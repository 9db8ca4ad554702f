import type { AgentSession } from '@handrail/session';
import { selectionOf } from '@handrail/session/binding';
import { fromSignal, type Current } from './from-signal.js';

/**
 * What `select` makes of a session, for runes. The signals that it reads are tracked, and no others: `current` changes
 * when the result does.
 *
 * `select` must be pure, and is for signals: put state and props together with its result in a `$derived`.
 *
 * @param isEqual whether two results are the same to you; then the earlier one is kept. Default `Object.is`, so a
 *   `select` that makes a new object or array wants one
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
