import type { ReadonlySignal } from '@banister/session/signals';
import { follow } from '@banister/session/binding';
import { useCallback, useSyncExternalStore } from 'react';

/**
 * Returns the value of a signal, and follows it while the component is mounted. Each publication renders a
 * component at most once, even if several of its signals change.
 *
 * On the server, and while hydrating, the result is the signal's value at that moment. A part that hydrates
 * after the session has changed must read a session that has not changed, see "Server rendering" in the
 * guide. If the value cannot be computed, the error goes to the nearest error boundary.
 *
 * @param signal a signal of a session, or your own `computed`, made outside of the component
 * @example
 * function Answer({ session }: { session: AgentSession }) {
 *   return <p>{useSignalValue(session.currentText)}</p>;
 * }
 */
export function useSignalValue<T>(signal: ReadonlySignal<T>): T {
  // `onChange` is not called at once, because React itself compares the value after subscribing.
  const subscribe = useCallback((onChange: () => void) => follow(signal, onChange), [signal]);
  const read = () => signal.peek();
  return useSyncExternalStore(subscribe, read, read);
}
