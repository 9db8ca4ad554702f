import type { AgentSession } from '@handrail/session';
import { selectionOf } from '@handrail/session/binding';
import { computed, toValue, type ComputedRef, type MaybeRefOrGetter } from 'vue';
import { useSignal } from './use-signal.js';

/**
 * What `select` makes of a session, as a read-only ref. The signals that it reads are tracked, and no others: the ref
 * changes when the result does.
 *
 * `select` must be pure, and is for signals: put refs and props together with its result in a `computed` of Vue.
 *
 * @param session the session, or a ref or getter of one, which may change: `() => props.session`
 * @param isEqual whether two results are the same to you; then the earlier one is kept. Default `Object.is`, so a
 *   `select` that makes a new object or array wants one
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
