import { isPlain, put, type Plain } from './values.js';

/** The derived values of a framework. */
export interface Derivation {
  /**
   * Makes a derived value: `read` runs again when something that it has read changes. The value must not belong to a component or to
   * another derived value.
   */
  derive<T>(read: () => T): () => T;
  /** Makes the framework observe a derived value. Reading a value that is not observed checks everything that it depends on. */
  follow(value: () => unknown): void;
}

/** The maximal length of a piece of a list. If an element changes, only the copy of its piece is made again. */
const PIECE = 32;

/** Copies of objects that are changed in place, for a framework that tracks changes: only changed objects are copied again. */
export class DerivedCopies {
  /** The copies of fields, by their names. */
  private readonly fields = new WeakMap<object, Map<string, () => unknown>>();
  private readonly known = new WeakMap<object, () => unknown>();

  constructor(private readonly framework: Derivation) {}

  /** Returns a copy of the current field. An unchanged object has the same copy as before. */
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
    // A list without objects is read together with the object that contains it.
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

  /** Cuts a list into pieces. An unchanged piece is the same object as before. */
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
