import type { ReadonlySignal } from '@banister/session/signals';
import { follow } from '@banister/session/binding';
import { useCallback, useSyncExternalStore } from 'react';

/**
 * Returns the value of a signal, and follows it while the component is mounted. Each publication renders a component at most once,
 * also when several of its signals change.
 *
 * On the server, and while hydrating, the result is the signal's value at that moment: a part that hydrates after the session has changed
 * reads a session that has not, see "Server rendering" of the guide. When the value cannot be computed, the error goes to the nearest error boundary.
 *
 * @param signal any signal: one of a session, or a `computed` of your own, made outside of the component
 * @example
 * function Answer({ session }: { session: AgentSession }) {
 *   return <p>{useSignalValue(session.currentText)}</p>;
 * }
 */
export function useSignalValue<T>(signal: ReadonlySignal<T>): T {
  // No call of `onChange` at once: React itself compares the value after subscribing.
  const subscribe = useCallback((onChange: () => void) => follow(signal, onChange), [signal]);
  const read = () => signal.peek();
  return useSyncExternalStore(subscribe, read, read);
}
