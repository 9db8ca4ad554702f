/**
 * Marks an object so that Vue does not wrap it in a proxy when an app puts it into reactive state, because signals are compared by
 * identity. Vue's own `markRaw` sets the same mark: https://vuejs.org/api/reactivity-advanced.html#markraw
 */
export function keepRaw<T extends object>(object: T): T {
  return Object.defineProperty(object, '__v_skip', { value: true });
}

/** Gives an object a prototype of its own, because Svelte wraps only plain objects: https://svelte.dev/docs/svelte/$state */
export function asInstance<T extends object>(object: T): T {
  return Object.setPrototypeOf(object, Object.create(Object.prototype) as object) as T;
}
