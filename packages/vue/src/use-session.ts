import type { AgentSession } from '@banister/session';
import { selectionOf } from '@banister/session/binding';
import { computed, toValue, type ComputedRef, type MaybeRefOrGetter } from 'vue';
import { useSignal } from './use-signal.js';

/**
 * Returns the result of `select` for a session, as a read-only ref. Only the signals that it reads are tracked: the ref changes when
 * the result does.
 *
 * `select` must be pure and read signals only: combine refs and props with its result in a `computed` of Vue.
 *
 * @param session the session, or a ref or getter of one, which may change: `() => props.session`
 * @param isEqual whether two results are equal; the earlier one is kept then. Default `Object.is`; a `select` that returns a new
 *   object or array needs another one
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
