import type { Segment } from './patch.js';
import { isPlain, keyOf } from './values.js';

/** Notices objects of a state that were changed in place, by a shallow copy of each. A look at the whole state, for development. */
export class Mutations {
  private readonly copies = new WeakMap<object, object>();

  constructor(private readonly key: string) {}

  /** Remembers all objects of a state as they are. */
  remember(state: unknown, seen = new Set<object>()): void {
    if (!isObject(state) || seen.has(state)) return;
    seen.add(state);
    const copy = Array.isArray(state) ? (state.slice() as unknown[]) : { ...state };
    this.copies.set(state, copy);
    for (const child of Object.values(copy)) this.remember(child, seen);
  }

  /** Returns the paths of the objects that are not as they were remembered. */
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
