/** A place in the state: the keys that lead to it from the top. */
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

/** A place at which a text ends. */
interface TextEnd {
  readonly node: Node;
  readonly key: string | number;
}

/**
 * A state that is changed in place where no reader can see it. A node on the path of a change is copied once, then changed in
 * place until its field is taken. A field that was taken before the change stays as it was, and nodes that did not change keep their
 * identity.
 */
export class Draft<State extends object> {
  private readonly root: Node;
  private readonly fields = new Map<string, CopiedNodes>();
  /** The places of the last changes, if each of them appended text and its node may still be changed in place. */
  private readonly textEnds: TextEnd[] = [];

  constructor(state: State) {
    this.root = { ...state } as unknown as Node;
  }

  /** The state as it is now. Only for reading, and only until the next change. */
  get current(): State {
    return this.root as unknown as State;
  }

  /** Sets a field to a value without parts, such as a number. The places of the last text are kept. */
  setField<Key extends keyof State & string>(
    key: Key,
    value: State[Key] & (string | number | boolean),
  ): void {
    this.root[key] = value;
  }

  /** Makes the changes, in order. */
  apply(changes: readonly Change[]): void {
    this.textEnds.length = 0;
    for (const { kind, path, value } of changes) {
      const last = path.length - 1;
      let node = this.root;
      if (last > 0 || kind === 'append') {
        const copied = this.copiedIn(path[0]);
        // A node that is forgotten is copied at its next change: the texts of the changes before are no more those of the state.
        if (copied.forgetMost()) this.textEnds.length = 0;
        for (let depth = 0; depth < last; depth++) node = copied.child(node, path[depth]!, depth);
        const key = path[last]!;
        if (kind === 'append' && typeof node[key] !== 'string') {
          copied.append(node, key, last, value);
          continue;
        }
      }
      const key = path[last]!;
      if (kind === 'set') node[key] = value;
      else {
        (node[key] as string) += value as string;
        this.textEnds.push({ node, key });
      }
    }
    if (this.textEnds.length !== changes.length) this.textEnds.length = 0;
  }

  /**
   * Appends text at each place at which the last changes appended text, without following their paths. Does nothing and returns
   * false when one of those changes was of another kind, or when one of their fields was taken since.
   */
  appendAgain(text: string): boolean {
    for (const { node, key } of this.textEnds) (node[key] as string) += text;
    return this.textEnds.length > 0;
  }

  /** Returns a field of the state for keeping: it is not changed any more, the next change copies. */
  take<Key extends keyof State & string>(key: Key): State[Key] {
    const copied = this.fields.get(key);
    if (copied !== undefined) this.release(copied);
    return this.current[key];
  }

  /** Lets readers keep the nodes of a field that stand deeper than this: each of them is copied again before a change. */
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

/** The nodes of a field that were copied since the field was last taken, so that no reader has them. */
class CopiedNodes {
  /** The nodes on the path of the last change, by depth: the next change nearly always has the same path. */
  private readonly trail: Node[] = [];
  /** The number of valid nodes of the trail. A count, since emptying a list costs more than overwriting its items. */
  private length = 0;
  /** The copied nodes that are not on the trail. Those of a long log are many: only the last ones, and the long lists, are kept. */
  private aside: Set<Node> | null = null;
  private most = MOST_ASIDE;

  /** Returns the child for a change: the child itself when no reader has it, else a copy, which takes its place. */
  child(parent: Node, key: string | number, depth: number): Node {
    const child = parent[key] as Node;
    if (depth < this.length) {
      if (this.trail[depth] === child) return child;
      this.leaveTrail(depth);
    }
    return this.keep(parent, key, depth, this.aside?.has(child) ? child : copyOf(child));
  }

  /** Appends an item to the list at a key. A list that a reader has is copied with the item: growing the copy would copy it again. */
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

  /** Puts a node that no reader has at a key. */
  private keep(parent: Node, key: string | number, depth: number, own: Node): Node {
    this.trail[depth] = own;
    this.length = depth + 1;
    parent[key] = own;
    return own;
  }

  /**
   * Is called when readers got nodes of the field: each of them is copied again before a change. Returns whether there were any.
   *
   * @param depth of the first nodes that they got. Default: the whole field
   */
  release(depth = 0): boolean {
    const hadSome = this.length > depth || this.aside !== null;
    this.length = Math.min(this.length, depth);
    this.aside = null;
    return hadSome;
  }

  /** Forgets the copied nodes but those of the trail and the long lists, where there are many. Returns whether it did. */
  forgetMost(): boolean {
    const { aside } = this;
    if (aside === null || aside.size <= this.most) return false;
    for (const node of aside) if (!Array.isArray(node) || node.length <= LONG_LIST) aside.delete(node);
    this.most = MOST_ASIDE + 2 * aside.size;
    return true;
  }

  /** Ends the trail at this depth, from where the path of the change is another one. */
  private leaveTrail(depth: number): void {
    this.aside ??= new Set();
    for (let i = depth; i < this.length; i++) this.aside.add(this.trail[i]!);
    this.length = depth;
  }
}

/** So many copied nodes are known before most are forgotten. Those of turns that have ended are of no more use: one that changes after all is copied again. */
const MOST_ASIDE = 256;

/** A list that is longer stays known: another copy of it would cost the more, the longer the session is. */
const LONG_LIST = 64;

function copyOf(node: Node): Node {
  return (Array.isArray(node) ? node.slice() : { ...node }) as Node;
}
