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

/** A place at which a text ends. */
interface TextEnd {
  readonly node: Node;
  readonly key: string | number;
}

/**
 * A state under change. A node on the way to a change is copied once, then changed in place until its field is taken.
 * A field that was taken before the change stays as it was, nodes that did not change keep their identity, and between
 * two reads no node is copied twice.
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

  apply(changes: readonly Change[]): void {
    this.textEnds.length = 0;
    for (const { kind, path, value } of changes) {
      const last = path.length - 1;
      let node = this.root;
      if (last > 0 || kind === 'append') {
        const copied = this.copiedIn(path[0]);
        for (let depth = 0; depth < last; depth++) node = copied.child(node, path[depth]!, depth);
        const key = path[last]!;
        if (kind === 'append' && typeof node[key] !== 'string') {
          (copied.child(node, key, last) as unknown as unknown[]).push(value);
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
   * Appends text to every text that the last changes appended to, without their paths. Does nothing and returns false
   * when those changes did anything else, or when one of their fields was taken since.
   */
  appendAgain(text: string): boolean {
    for (const { node, key } of this.textEnds) (node[key] as string) += text;
    return this.textEnds.length > 0;
  }

  /** A field of the state, to keep: it stays as it is, the next change copies. */
  take<Key extends keyof State & string>(key: Key): State[Key] {
    const copied = this.fields.get(key);
    if (copied !== undefined) this.release(copied);
    return this.current[key];
  }

  /** The whole state, to keep. */
  takeAll(): State {
    for (const copied of this.fields.values()) this.release(copied);
    return { ...this.current };
  }

  private release(copied: CopiedNodes): void {
    if (copied.release()) this.textEnds.length = 0;
  }

  private copiedIn(field: string): CopiedNodes {
    let copied = this.fields.get(field);
    if (copied === undefined) this.fields.set(field, (copied = new CopiedNodes()));
    return copied;
  }
}

/** The nodes of a field that were copied since the field was last taken: no reader has them yet. */
class CopiedNodes {
  /** Those on the way to the last change, by depth: the next change nearly always goes the same way. */
  private readonly trail: Node[] = [];
  /** How much of the trail is good. Counted, since to empty a list or a set costs more than to fill it. */
  private length = 0;
  /** The others. */
  private aside: Set<Node> | null = null;

  /** The child to change: itself, if no reader has it, else a copy in its place. */
  child(parent: Node, key: string | number, depth: number): Node {
    const child = parent[key] as Node;
    if (depth < this.length) {
      if (this.trail[depth] === child) return child;
      this.leaveTrail(depth);
    }
    const copy = this.aside?.has(child) ? child : copyOf(child);
    this.trail[depth] = copy;
    this.length = depth + 1;
    parent[key] = copy;
    return copy;
  }

  /** The field was taken: each of its nodes is copied again before it changes. Returns whether there were any. */
  release(): boolean {
    const hadSome = this.length > 0;
    this.length = 0;
    this.aside = null;
    return hadSome;
  }

  /** The change goes another way from this depth on. */
  private leaveTrail(depth: number): void {
    this.aside ??= new Set();
    for (let i = depth; i < this.length; i++) this.aside.add(this.trail[i]!);
    this.length = depth;
  }
}

function copyOf(node: Node): Node {
  return (Array.isArray(node) ? node.slice() : { ...node }) as Node;
}
