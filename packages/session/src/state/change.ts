/** The place of a value in the state: the keys that lead to it from the top. */
export type Path = readonly [string, ...(string | number)[]];

/**
 * One small change of the state, as data. Handlers return changes instead of new states, so that the cost of an
 * operation is the size of its change, not the size of the state.
 */
export type Change =
  /** Sets a value at a place. */
  | { readonly kind: 'set'; readonly path: Path; readonly value: unknown }
  /** Appends text to the string at a place, or an item to the list there. */
  | { readonly kind: 'append'; readonly path: Path; readonly value: unknown };

export const set = (path: Path, value: unknown): Change => ({ kind: 'set', path, value });
export const append = (path: Path, value: unknown): Change => ({ kind: 'append', path, value });

type Node = Record<string | number, unknown>;

/** The place of a string to which text was appended. */
interface TextEnd {
  readonly node: Node;
  readonly key: string | number;
}

/**
 * A state that is changed in place while no reader has it. A node on the path of a change is copied once, then changed in place until its
 * field is taken. A field that was taken before the change stays as it was, and unchanged nodes keep their identity.
 */
export class Draft<State extends object> {
  /** The current state. Only for reading, and only until the next change. */
  readonly current: State;
  private readonly fields = new Map<string, CopiedNodes>();
  /** The places of the last changes, if each of them appended text and its node may still be changed in place. */
  private readonly textEnds: TextEnd[] = [];

  constructor(state: State) {
    this.current = { ...state };
  }

  /** Sets a field to a primitive value, such as a number. `textEnds` stays valid. */
  setField<Key extends keyof State & string>(
    key: Key,
    value: State[Key] & (string | number | boolean),
  ): void {
    this.current[key] = value;
  }

  /** Makes the changes in order. */
  apply(changes: readonly Change[]): void {
    this.textEnds.length = 0;
    changes.forEach((change) => this.make(change));
    if (this.textEnds.length !== changes.length) this.textEnds.length = 0;
  }

  private make({ kind, path, value }: Change): void {
    const last = path.length - 1;
    const key = path[last]!;
    let node = this.current as unknown as Node;
    if (last > 0 || kind === 'append') {
      const copied = this.copiedIn(path[0]);
      // Forgotten nodes are copied at their next change, so text must not be appended to them in place any more.
      if (copied.forgetMost()) this.textEnds.length = 0;
      node = copied.follow(node, path);
      if (kind === 'append' && typeof node[key] !== 'string') return copied.append(node, key, last, value);
    }
    if (kind === 'set') node[key] = value;
    else {
      (node[key] as string) += value as string;
      this.textEnds.push({ node, key });
    }
  }

  /**
   * Appends text at each place where the last changes appended text, without following their paths. Returns false, and does nothing, if a
   * change was of another kind, or if a changed field was taken since.
   */
  appendAgain(text: string): boolean {
    for (const { node, key } of this.textEnds) (node[key] as string) += text;
    return this.textEnds.length > 0;
  }

  /** Returns a field of the state for keeping: it does not change any more, because the next change copies it. */
  take<Key extends keyof State & string>(key: Key): State[Key] {
    const copied = this.fields.get(key);
    if (copied !== undefined) this.release(copied);
    return this.current[key];
  }

  /** Lets readers keep the nodes of a field below this depth: each of them is copied again before a change. */
  share(key: keyof State & string, depth: number): void {
    const copied = this.fields.get(key);
    if (copied !== undefined) this.release(copied, depth);
  }

  /** Returns the whole state for keeping. */
  takeAll(): State {
    for (const copied of this.fields.values()) this.release(copied);
    return { ...this.current };
  }

  private release(copied: CopiedNodes, depth?: number): void {
    if (copied.release(depth)) this.textEnds.length = 0;
  }

  private copiedIn(field: string): CopiedNodes {
    let copied = this.fields.get(field);
    if (copied === undefined) this.fields.set(field, (copied = new CopiedNodes()));
    return copied;
  }
}

/** The nodes of a field that were copied since the field was last taken. No reader has them. */
class CopiedNodes {
  /** The nodes on the path of the last change, by depth. The next change nearly always has the same path. */
  private readonly trail: Node[] = [];
  /** The number of valid nodes in `trail`. It is a number because emptying a list takes longer than overwriting its items. */
  private length = 0;
  /** The copied nodes that are not on the trail. A long log has many of them, so only the last nodes and the long lists are kept. */
  private aside: Set<Node> | null = null;
  private most = MOST_ASIDE;

  /** Returns the node for a change at a path below the root. */
  follow(root: Node, path: Path): Node {
    let node = root;
    for (let depth = 0; depth < path.length - 1; depth++) node = this.child(node, path[depth]!, depth);
    return node;
  }

  /** Returns the child for a change: the child itself if no reader has it; otherwise a copy, which replaces it. */
  private child(parent: Node, key: string | number, depth: number): Node {
    const child = parent[key] as Node;
    if (depth < this.length) {
      if (this.trail[depth] === child) return child;
      this.leaveTrail(depth);
    }
    return this.keep(parent, key, depth, this.aside?.has(child) ? child : copyOf(child));
  }

  /**
   * Appends an item to the list at a key. If a reader has the list, it is copied together with the item, because growing a copy would copy
   * it a second time.
   */
  append(parent: Node, key: string | number, depth: number, item: unknown): void {
    const list = parent[key] as Node & unknown[];
    const isOwn = (depth < this.length && this.trail[depth] === list) || this.aside?.has(list);
    if (isOwn) {
      this.child(parent, key, depth);
      list.push(item);
    } else {
      if (depth < this.length) this.leaveTrail(depth);
      this.keep(parent, key, depth, list.concat([item]) as Node & unknown[]);
    }
  }

  /** Sets a node that no reader has at a key. */
  private keep(parent: Node, key: string | number, depth: number, own: Node): Node {
    this.trail[depth] = own;
    this.length = depth + 1;
    parent[key] = own;
    return own;
  }

  /**
   * Called when readers received nodes of the field: each of them is copied again before a change. Returns true if there were any.
   *
   * @param depth the depth of the first nodes that they received. Default: the whole field
   */
  release(depth = 0): boolean {
    const hadSome = this.length > depth || this.aside !== null;
    this.length = Math.min(this.length, depth);
    this.aside = null;
    return hadSome;
  }

  /** If there are many copied nodes, forgets them, except for the trail and the long lists. Returns true if it did. */
  forgetMost(): boolean {
    const { aside } = this;
    if (aside === null || aside.size <= this.most) return false;
    for (const node of aside) if (!Array.isArray(node) || node.length <= LONG_LIST) aside.delete(node);
    this.most = MOST_ASIDE + 2 * aside.size;
    return true;
  }

  /** Ends the trail at this depth, because the path of the change differs from here on. */
  private leaveTrail(depth: number): void {
    this.aside ??= new Set();
    for (let i = depth; i < this.length; i++) this.aside.add(this.trail[i]!);
    this.length = depth;
  }
}

/**
 * If there are more copied nodes than this, most of them are forgotten. Nodes of ended turns are not needed any more; if such a node
 * changes nevertheless, it is copied again.
 */
const MOST_ASIDE = 256;

/** A longer list is not forgotten: the longer the session is, the more another copy would cost. */
const LONG_LIST = 64;

function copyOf(node: Node): Node {
  // Not by `slice`, which takes 20 times as long for a frozen list.
  return (Array.isArray(node) ? [...(node as readonly unknown[])] : { ...node }) as Node;
}
