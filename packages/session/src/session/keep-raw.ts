/**
 * Keeps Vue from wrapping an object in a proxy when an app puts it into `ref()` or `reactive()`: a signal is known by its
 * identity, and a session by its signals. It is what Vue's own `markRaw` does; everybody else overlooks it.
 *
 * See https://vuejs.org/api/reactivity-advanced.html#markraw
 */
export function keepRaw<T extends object>(object: T): T {
  return Object.defineProperty(object, '__v_skip', { value: true });
}
