import type { Lists } from './lists.js';
import type { Patch, Place, Segment } from './patch.js';
import { isPlain, keyOf, put, type Plain } from './values.js';

/** A state to which patches are applied. */
export class Draft {
  /** Objects that are already copies. */
  private readonly copies = new Set<unknown>();
  /** Elements that were taken out of a list to be put in at another place, by list and key. */
  private readonly taken = new Map<unknown, Map<Segment, unknown>>();

  /** @param inPlace whether to change the objects of the state; otherwise the objects on the path to a change are copied */
  constructor(
    public root: unknown,
    private readonly lists: Lists,
    private readonly inPlace: boolean,
  ) {}

  /** Sets the value at a path; undefined removes the field. */
  set(path: readonly Segment[], value: unknown): void {
    if (path.length === 0) {
      this.root = structuredClone(value);
      return;
    }
    const parent = this.open(path.slice(0, -1));
    const name = String(path.at(-1));
    // A computed field follows from other fields.
    if (!isPlain(parent) || isComputed(parent, name)) return;
    if (value === undefined) delete parent[name];
    else put(parent, name, structuredClone(value));
  }

  /** Takes elements out of their lists. */
  takeOut(moves: readonly Patch[]): void {
    const lists = new Map<unknown[], Map<Segment, Patch>>();
    for (const move of moves) {
      const list = this.open(move.path.slice(0, -1));
      if (!Array.isArray(list)) continue;
      lists.set(list, (lists.get(list) ?? new Map<Segment, Patch>()).set(move.path.at(-1)!, move));
    }
    for (const [list, byKey] of lists) this.takeOutOf(list, byKey);
  }

  private takeOutOf(list: unknown[], byKey: ReadonlyMap<Segment, Patch>): void {
    const taken = new Map<Segment, unknown>();
    for (let at = list.length - 1; at >= 0; at--) {
      const segment = keyOf(list[at], this.lists.key);
      const move = segment === undefined ? undefined : byKey.get(segment);
      if (move === undefined) continue;
      const [element] = list.splice(at, 1);
      if (move.to) taken.set(segment!, element);
    }
    this.lists.forget(list);
    this.taken.set(list, taken);
  }

  /** Puts an element into its list: the element that `takeOut` took out, or the value of the patch. */
  putIn({ path, after }: Patch, place: Place): void {
    const list = this.open(path.slice(0, -1));
    if (!Array.isArray(list)) return;
    // If one list is at two places of the state, the element may be in it already.
    if (this.lists.positions(list)?.has(path.at(-1)!)) return;
    const element = after === undefined ? this.taken.get(list)?.get(path.at(-1)!) : structuredClone(after);
    const at = this.positionIn(list, place);
    list.splice(at, 0, element);
    this.lists.putIn(list, path.at(-1)!, at);
  }

  /** After the previous neighbour; else before the next neighbour or the anchor; else at the index `at`. */
  private positionIn(list: readonly unknown[], { at, after, before, anchor = before }: Place): number {
    const positions = this.lists.positions(list);
    const find = (segment: Segment | null) => (segment === null ? undefined : positions?.get(segment));
    const previous = find(after);
    if (previous !== undefined) return previous + 1;
    // A first element goes to the start, a last element to the end.
    if (after === null) return 0;
    const next = find(before) ?? find(anchor);
    if (next !== undefined) return next;
    return before === null ? list.length : Math.min(at, list.length);
  }

  /** Returns the object at a path, ready to be changed. */
  private open(path: readonly Segment[]): unknown {
    this.root = this.copy(this.root);
    let parent = this.root;
    for (const segment of path) {
      const child = this.copy(this.lists.child(parent, segment));
      if (!this.inPlace) this.replace(parent, segment, child);
      parent = child;
    }
    return parent;
  }

  private copy(value: unknown): unknown {
    if (this.inPlace || this.copies.has(value)) return value;
    if (!Array.isArray(value) && !isPlain(value)) return value;
    const copy = Array.isArray(value) ? (value.slice() as unknown[]) : { ...value };
    this.copies.add(copy);
    if (Array.isArray(value)) this.lists.copied(value, copy as unknown[]);
    return copy;
  }

  private replace(parent: unknown, segment: Segment, child: unknown): void {
    if (Array.isArray(parent)) {
      const at = this.lists.positions(parent)?.get(segment);
      if (at !== undefined) parent[at] = child;
    } else if (isPlain(parent)) put(parent, String(segment), child);
  }
}

function isComputed(fields: Plain, name: string): boolean {
  const field = Object.getOwnPropertyDescriptor(fields, name);
  return field?.get !== undefined && field.set === undefined;
}
