import type { ReadonlySignal } from '@banister/session/signals';
import { follow } from '@banister/session/binding';
import { createSubscriber } from 'svelte/reactivity';

/** A value that Svelte tracks at each read. */
export interface Current<T> {
  /** The value; reading it is tracked. */
  readonly current: T;
}

/**
 * Returns a signal for runes: a template, `$derived` or `$effect` that reads `current` runs again at each publication that changes
 * the value. The signal is subscribed only while a tracked reader exists, so no clean-up is needed.
 *
 * On the server `current` is the signal's value at that moment. If the value cannot be computed, reading `current` throws: in a
 * template, up to the nearest `<svelte:boundary>`.
 *
 * A signal is also a store: if `text` is a signal, `$text` works.
 *
 * @param signal a signal of a session, or your own `computed` from `@banister/session/signals`
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
