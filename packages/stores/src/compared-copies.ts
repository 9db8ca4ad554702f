import { fromTrace, isAsRead, objectsIn, traceOf, type Trace, type Unwrap } from './trace.js';
import { isPlain } from './values.js';

/** Copies of objects that are changed in place. An object is compared with what was read of it before. */
export class ComparedCopies {
  private readonly known = new WeakMap<object, ObjectCopy>();

  constructor(private readonly unwrap: Unwrap) {}

  /** Returns a copy of the current value. An unchanged object has the same copy as before. */
  of(value: unknown): unknown {
    const own = this.unwrap(value);
    return isPlain(own) || Array.isArray(own) ? this.ofObject(own).renewed() : own;
  }

  private readonly ofObject = (object: object): ObjectCopy => {
    let copy = this.known.get(object);
    if (copy === undefined)
      this.known.set(object, (copy = new ObjectCopy(object, this.unwrap, this.ofObject)));
    return copy;
  };
}

/** The copy of an object or a list. Each object inside has its own copy. */
class ObjectCopy {
  private trace: Trace | undefined;
  private inner: readonly ObjectCopy[] = [];
  private innerCopies: readonly unknown[] = [];
  private copy: unknown;

  constructor(
    private readonly object: object,
    private readonly unwrap: Unwrap,
    private readonly ofObject: (object: object) => ObjectCopy,
  ) {}

  /** Returns the current copy: the same copy as before if nothing has changed. */
  renewed(): unknown {
    const { trace, inner, innerCopies } = this;
    if (trace === undefined || !isAsRead(this.object, trace, this.unwrap)) this.read();
    else {
      const copies = renewedAll(inner, innerCopies);
      if (copies !== innerCopies) this.make(trace, inner, copies);
    }
    return this.copy;
  }

  private read(): void {
    const trace = traceOf(this.object, this.unwrap);
    const inner = objectsIn(trace).map(this.ofObject);
    this.make(trace, inner, renewedAll(inner, this.innerCopies));
  }

  private make(trace: Trace, inner: readonly ObjectCopy[], copies: readonly unknown[]): void {
    this.copy = fromTrace(trace, Array.isArray(this.object), copies);
    this.trace = trace;
    this.inner = inner;
    this.innerCopies = copies;
  }
}

/** Returns the current copies: the same list as before if no copy has changed. */
function renewedAll(objects: readonly ObjectCopy[], known: readonly unknown[]): readonly unknown[] {
  let renewed: unknown[] | undefined = objects.length === known.length ? undefined : [];
  for (let index = 0; index < objects.length; index++) {
    const copy = objects[index]!.renewed();
    if (copy !== known[index]) renewed ??= known.slice();
    if (renewed) renewed[index] = copy;
  }
  return renewed ?? known;
}
