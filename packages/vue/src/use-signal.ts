import type { ReadonlySignal } from '@banister/session/signals';
import { follow } from '@banister/session/binding';
import { computed, shallowRef, toValue, watch, type ComputedRef, type MaybeRefOrGetter, type Ref } from 'vue';

/**
 * Returns the value of a signal as a read-only ref, and follows it until the calling component or effect scope ends. Each
 * publication renders a component at most once, even if several of its signals change.
 *
 * On the server the ref holds the signal's value at that moment, and no signal is followed. If the value cannot be computed,
 * reading the ref throws: in a template, up to the nearest `onErrorCaptured`.
 *
 * @param signal a signal of a session, or your own `computed` from `@banister/session/signals`; or a ref or getter of a signal that may
 *   change: `() => props.session.currentText`
 * @example
 * const text = useSignal(session.currentText);
 * const canSend = computed(() => !isRunning.value && draft.value !== ''); // Vue's own
 */
export function useSignal<T>(signal: ReadonlySignal<T>): ComputedRef<T>;
// A separate overload, because for a union TypeScript would infer T from the method `valueOf` of functions.
export function useSignal<T>(signal: Ref<ReadonlySignal<T>> | (() => ReadonlySignal<T>)): ComputedRef<T>;
export function useSignal<T>(signal: MaybeRefOrGetter<ReadonlySignal<T>>): ComputedRef<T> {
  const changes = shallowRef(0);
  watch(
    () => toValue(signal),
    (followed, _, onCleanup) => onCleanup(follow(followed, () => changes.value++)),
    { immediate: true, flush: 'sync' },
  );
  return computed(() => {
    void changes.value;
    return toValue(signal).peek();
  });
}
