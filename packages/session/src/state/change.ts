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
 * A state under change. Nodes on the way to a change are copied once and then changed in place until `share()`:
 * whoever got a snapshot before sees nothing of it, and untouched nodes keep their identity.
 */
export class Draft<State extends object> {
  private readonly root: Node;
  /** Nodes copied since the last `share()`; nobody else has seen them. */
  private owned = new Set<object>();

  constructor(state: State) {
    this.root = { ...state } as unknown as Node;
  }

  /** The state as it is now. Only for reading, and only until the next change. */
  get current(): State {
    return this.root as unknown as State;
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      const { path } = change;
      let node = this.root;
      for (let i = 0; i < path.length - 1; i++) node = this.own(node, path[i]!);
      const key = path[path.length - 1]!;
      if (change.kind === 'set') node[key] = change.value;
      else if (typeof node[key] === 'string') node[key] += change.value as string;
      else (this.own(node, key) as unknown as unknown[]).push(change.value);
    }
  }

  /** Everything that was handed out from here on stays as it is: the next change copies. */
  share(): void {
    if (this.owned.size > 0) this.owned = new Set();
  }

  private own(parent: Node, key: string | number): Node {
    const child = parent[key] as Node;
    if (this.owned.has(child)) return child;
    const copy = (Array.isArray(child) ? child.slice() : { ...child }) as Node;
    this.owned.add(copy);
    parent[key] = copy;
    return copy;
  }
}
