import type { ReadonlySignal } from '@handrail/session';
import { follow } from '@handrail/session/binding';
import { useCallback, useSyncExternalStore } from 'react';

/**
 * The value of a signal, followed while the component is mounted: one render for each publication that changes it,
 * however many components read however many signals.
 *
 * On the server, and while hydrating, it is the signal's value at that moment. When the value cannot be computed, the
 * error goes to the nearest error boundary.
 *
 * @param signal any signal: one of a session, or a `computed` of your own, made outside of the component
 * @example
 * function Answer({ session }: { session: AgentSession }) {
 *   return <p>{useSignalValue(session.currentText)}</p>;
 * }
 */
export function useSignalValue<T>(signal: ReadonlySignal<T>): T {
  // React looks itself at what came before.
  const subscribe = useCallback((onChange: () => void) => follow(signal, onChange), [signal]);
  const read = () => signal.peek();
  return useSyncExternalStore(subscribe, read, read);
}
