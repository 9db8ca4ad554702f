import { isPlain, put, type Plain } from './values.js';

/** The derived values of a framework. */
export interface Derivation {
  /**
   * Makes a derived value: what the function returns, which is called again when something that it read has changed. The value belongs to no
   * component, and to no other derived value.
   */
  derive<T>(read: () => T): () => T;
  /** Has the framework follow a derived value. It looks for changes in any other one at each reading, which takes as long as that read much. */
  follow(value: () => unknown): void;
}

/** The most elements of a piece of a list: where an element changes, the copy of its piece is made again, and no other one. */
const PIECE = 32;

/** Copies of objects that are changed in place, by a framework that knows what has changed: only the copies of that are made again. */
export class DerivedCopies {
  /** The copies of fields, by their names. */
  private readonly fields = new WeakMap<object, Map<string, () => unknown>>();
  private readonly known = new WeakMap<object, () => unknown>();

  constructor(private readonly framework: Derivation) {}

  /** Returns the copy of a field as it is now. The copy of an object that is as it was is the same one as before. */
  ofField(state: object, name: string): unknown {
    let fields = this.fields.get(state);
    if (fields === undefined) this.fields.set(state, (fields = new Map<string, () => unknown>()));
    let copy = fields.get(name);
    if (copy === undefined) {
      copy = this.framework.derive(() => this.of((state as Plain)[name]));
      fields.set(name, copy);
      this.framework.follow(copy);
    }
    return copy();
  }

  private readonly of = (value: unknown): unknown => {
    if (!Array.isArray(value) && !isPlain(value)) return value;
    // A list of nothing but texts and numbers is read with the object that it is in.
    if (Array.isArray(value) && !value.some(isObject)) return [...(value as unknown[])];
    let copy = this.known.get(value);
    if (copy === undefined) {
      copy = Array.isArray(value) ? this.ofList(value) : this.framework.derive(() => this.ofFields(value));
      this.known.set(value, copy);
    }
    return copy();
  };

  private ofFields(fields: Plain): Plain {
    const copy: Plain = {};
    for (const name in fields) put(copy, name, this.of(fields[name]));
    return copy;
  }

  private ofList(list: readonly unknown[]): () => readonly unknown[] {
    let known: readonly Piece[] = [];
    const pieces = this.framework.derive(() => (known = this.cut([...list], known)));
    return this.framework.derive(() => ([] as unknown[]).concat(...pieces().map(({ copies }) => copies())));
  }

  /** Cuts a list into pieces. Those that are as they were are the same ones. */
  private cut(list: readonly unknown[], known: readonly Piece[]): readonly Piece[] {
    const pieces: Piece[] = [];
    for (let start = 0; start < list.length; start += PIECE) {
      const elements = list.slice(start, start + PIECE);
      const piece = known[pieces.length];
      pieces.push(piece && areSame(piece.elements, elements) ? piece : this.pieceOf(elements));
    }
    return pieces;
  }

  private pieceOf(elements: readonly unknown[]): Piece {
    return { elements, copies: this.framework.derive(() => elements.map(this.of)) };
  }
}

interface Piece {
  readonly elements: readonly unknown[];
  readonly copies: () => readonly unknown[];
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((element, index) => Object.is(element, b[index]));
}
