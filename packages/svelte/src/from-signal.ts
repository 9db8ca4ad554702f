import type { ReadonlySignal } from '@banister/session';
import { follow } from '@banister/session/binding';
import { createSubscriber } from 'svelte/reactivity';

/** A value that Svelte tracks where it is read. */
export interface Current<T> {
  /** The value; a read is tracked. */
  readonly current: T;
}

/**
 * Returns a signal for runes: a template, `$derived` or `$effect` that reads `current` runs again at each publication that changes
 * it. The signal is followed only while a tracked reader exists, so that no clean-up is needed.
 *
 * On the server `current` is the signal's value at that moment. When the value cannot be computed, reading `current` throws: in a
 * template, up to the nearest `<svelte:boundary>`.
 *
 * A signal is a store too: `$text` works where `text` is a signal.
 *
 * @param signal any signal: one of a session, or a `computed` of your own from `@banister/session`
 * @example
 * const { session } = $props();
 * const text = $derived(fromSignal(session.currentText)); // then {text.current}
 */
export function fromSignal<T>(signal: ReadonlySignal<T>): Current<T> {
  const track = createSubscriber((update) => follow(signal, update));
  return {
    get current() {
      track();
      return signal.peek();
    },
  };
}
