import type { JsonValue } from '@banister/session';
import type { Segment } from './patch.js';

/** A plain object: not a list, and not an instance of a class. */
export type Plain = Record<string, unknown>;

export function isPlain(value: unknown): value is Plain {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The maximal depth of objects in a change. The record of an effect allows 200 levels, including its own. */
export const MAX_LEVELS = 100;

/** Whether JSON, and the record of an effect, can hold a value unchanged. Undefined fields are ignored. */
export function isJson(value: unknown, levels = MAX_LEVELS): value is JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (levels === 0) return false;
  const isInside = (inner: unknown) => isJson(inner, levels - 1);
  // `includes` finds a hole as undefined; `every` skips holes.
  if (Array.isArray(value)) return !value.includes(undefined) && value.every(isInside);
  if (!isPlain(value) || Object.hasOwn(value, '__proto__')) return false;
  return Object.values(value).every((field) => field === undefined || isInside(field));
}

/** Whether two values are equal as JSON: 0 equals -0, the order of fields does not matter, and undefined fields are ignored. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((one, index) => isEqual(one, b[index]));
  if (!isPlain(a) || !isPlain(b)) return false;
  const isSame = (name: string) => isEqual(a[name], Object.hasOwn(b, name) ? b[name] : undefined);
  return (
    Object.keys(a).every(isSame) &&
    Object.keys(b).every((name) => b[name] === undefined || Object.hasOwn(a, name))
  );
}

/** Sets a field, even if its name is `__proto__`. */
export function put(object: Plain, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/** Returns an own field of an object; undefined if the object does not have it. */
export function fieldOf(value: unknown, name: string): unknown {
  return isPlain(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Returns the key of an element; undefined if it has no key. */
export function keyOf(element: unknown, key: string): Segment | undefined {
  if (typeof element !== 'object' || element === null) return undefined;
  const value = (element as Plain)[key];
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
    ? value
    : undefined;
}

/** Returns the index of each element by key; null if an element has no key, or if two elements have the same key. */
export function positionsOf(list: readonly unknown[], key: string): Map<Segment, number> | null {
  const positions = new Map<Segment, number>();
  for (const [index, element] of list.entries()) {
    const segment = keyOf(element, key);
    if (segment === undefined || positions.has(segment)) return null;
    positions.set(segment, index);
  }
  return positions;
}
