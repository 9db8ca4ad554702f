import type { AgentSession } from '@banister/session';
import { selectionOf } from '@banister/session/binding';
import { computed, toValue, type ComputedRef, type MaybeRefOrGetter } from 'vue';
import { useSignal } from './use-signal.js';

/**
 * Returns the result of `select` for a session, as a read-only ref. It tracks only the signals that `select` reads: the ref changes when
 * the result changes.
 *
 * `select` must be pure and read signals only: combine refs and props with its result in a `computed` of Vue.
 *
 * @param session the session, or a ref or getter of a session that may change: `() => props.session`
 * @param isEqual whether two results are equal; if so, the earlier result is kept. Default `Object.is`; pass a function if `select`
 *   returns a new object or array each time
 * @example
 * const openCalls = useSession(() => props.session, (of) => of.activeToolCalls.value.length);
 */
export function useSession<T>(
  session: MaybeRefOrGetter<AgentSession>,
  select: (session: AgentSession) => T,
  isEqual?: (a: T, b: T) => boolean,
): ComputedRef<T> {
  return useSignal(computed(() => selectionOf(toValue(session), select, isEqual)));
}
