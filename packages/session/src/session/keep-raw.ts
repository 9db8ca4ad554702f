/**
 * Keeps frameworks from wrapping an object in a proxy when an app puts it into their state: a signal is known by its
 * identity, and a session by its signals.
 *
 * Vue looks for this mark, which its own `markRaw` sets: https://vuejs.org/api/reactivity-advanced.html#markraw
 */
export function keepRaw<T extends object>(object: T): T {
  return Object.defineProperty(object, '__v_skip', { value: true });
}

/** Svelte wraps what has the prototype of plain objects, and nothing else: https://svelte.dev/docs/svelte/$state */
export function asInstance<T extends object>(object: T): T {
  return Object.setPrototypeOf(object, Object.create(Object.prototype) as object) as T;
}
