/** Where in the state: keys from the top. */
export type Path = readonly [string, ...(string | number)[]];

/**
 * One small change of the state, as data. Handlers return changes instead of new states, so that the cost of an
 * operation is the size of its change, not the size of the state.
 */
export type Change =
  /** Puts a value at a place. */
  | { readonly kind: 'set'; readonly path: Path; readonly value: unknown }
  /** Appends text to the text at a place, or an item to the list there. */
  | { readonly kind: 'append'; readonly path: Path; readonly value: unknown };

export const set = (path: Path, value: unknown): Change => ({ kind: 'set', path, value });
export const append = (path: Path, value: unknown): Change => ({ kind: 'append', path, value });

type Node = Record<string | number, unknown>;

/**
 * A state under change. A node on the way to a change is copied once, then changed in place until its field is taken:
 * whoever took the field before sees nothing of the change, nodes that did not change keep their identity, and what
 * nobody looks at is never copied twice.
 */
export class Draft<State extends object> {
  private readonly root: Node;
  /** For each field of the state, the nodes that were copied since it was last taken; nobody else has seen them. */
  private readonly owned = new Map<string, Set<object>>();

  constructor(state: State) {
    this.root = { ...state } as unknown as Node;
  }

  /** The state as it is now. Only for reading, and only until the next change. */
  get current(): State {
    return this.root as unknown as State;
  }

  apply(changes: readonly Change[]): void {
    for (const { kind, path, value } of changes) {
      const owned = this.ownedOf(path[0]);
      const last = path.length - 1;
      let node = this.root;
      for (let i = 0; i < last; i++) node = own(node, path[i]!, owned);
      const key = path[last]!;
      if (kind === 'set') node[key] = value;
      else if (typeof node[key] === 'string') node[key] += value as string;
      else (own(node, key, owned) as unknown as unknown[]).push(value);
    }
  }

  /** A field of the state, to keep: it stays as it is, the next change copies. */
  take<Key extends keyof State & string>(key: Key): State[Key] {
    this.owned.get(key)?.clear();
    return this.current[key];
  }

  /** The whole state, to keep. */
  takeAll(): State {
    for (const owned of this.owned.values()) owned.clear();
    return { ...this.current };
  }

  private ownedOf(field: string): Set<object> {
    let owned = this.owned.get(field);
    if (owned === undefined) this.owned.set(field, (owned = new Set()));
    return owned;
  }
}

/** The child to change: itself, if nobody else can see it, else a copy in its place. */
function own(parent: Node, key: string | number, owned: Set<object>): Node {
  const child = parent[key] as Node;
  if (owned.has(child)) return child;
  const copy = (Array.isArray(child) ? child.slice() : { ...child }) as Node;
  owned.add(copy);
  parent[key] = copy;
  return copy;
}
