import type { Segment } from './patch.js';
import { fieldOf, positionsOf } from './values.js';

/** Finds elements of lists by key. */
export class Lists {
  private readonly known = new Map<readonly unknown[], Map<Segment, number> | null>();

  constructor(readonly key: string) {}

  positions(list: readonly unknown[]): ReadonlyMap<Segment, number> | null {
    let positions = this.known.get(list);
    if (positions === undefined) this.known.set(list, (positions = positionsOf(list, this.key)));
    return positions;
  }

  /** Called with a copy of a list, which has the same positions. */
  copied(list: readonly unknown[], copy: readonly unknown[]): void {
    const positions = this.positions(list);
    this.known.set(copy, positions && new Map(positions));
  }

  /** Called after an element was put into a list. */
  putIn(list: readonly unknown[], segment: Segment, at: number): void {
    if (at < list.length - 1) return this.forget(list);
    this.known.get(list)?.set(segment, at);
  }

  /** Called after a list has changed. */
  forget(list: readonly unknown[]): void {
    this.known.delete(list);
  }

  /** Returns the field or the element of a value. If the elements of a list have no unique keys, returns the list itself. */
  child(value: unknown, segment: Segment): unknown {
    if (!Array.isArray(value)) return fieldOf(value, String(segment));
    const positions = this.positions(value);
    if (positions === null) return value;
    const at = positions.get(segment);
    return at === undefined ? undefined : (value[at] as unknown);
  }

  /** Returns the value at a path; undefined if it does not exist. */
  at(value: unknown, path: readonly Segment[]): unknown {
    return path.reduce((parent, segment) => this.child(parent, segment), value);
  }
}
