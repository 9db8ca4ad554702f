import type { Segment } from './patch.js';
import { isPlain, keyOf } from './values.js';

/** Finds objects that were changed in place, by shallow copies. For development, because it reads the whole state. */
export class Mutations {
  private readonly copies = new WeakMap<object, object>();

  constructor(private readonly key: string) {}

  /** Makes a shallow copy of each object of a state. */
  remember(state: unknown, seen = new Set<object>()): void {
    if (!isObject(state) || seen.has(state)) return;
    seen.add(state);
    const copy = Array.isArray(state) ? (state.slice() as unknown[]) : { ...state };
    this.copies.set(state, copy);
    for (const child of Object.values(copy)) this.remember(child, seen);
  }

  /** Returns the paths of the objects that differ from their copies. */
  find(state: unknown, path: readonly Segment[], seen = new Set<object>()): readonly (readonly Segment[])[] {
    if (!isObject(state) || seen.has(state)) return [];
    seen.add(state);
    const copy = this.copies.get(state) as Record<string, unknown> | undefined;
    const now = state as Record<string, unknown>;
    if (copy !== undefined && !isSame(copy, now)) return [path];
    return Object.keys(now).flatMap((name) => {
      const segment = Array.isArray(state) ? (keyOf(now[name], this.key) ?? Number(name)) : name;
      return this.find(now[name], [...path, segment], seen);
    });
  }
}

function isObject(value: unknown): value is object {
  return Array.isArray(value) || isPlain(value);
}

function isSame(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.is(a[name], b[name]));
}
