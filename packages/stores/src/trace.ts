import { isPlain, put, type Plain } from './values.js';

/**
 * What was read of an object or a list, as one flat list, which is the fastest to compare. For each field: its name and its value. After
 * each list: its length and its elements. The fields of inner objects are not included.
 */
export type Trace = readonly unknown[];

/** Returns the value behind a proxy or a ref; any other value unchanged. */
export type Unwrap = (value: unknown) => unknown;

/** Reads an object or a list. */
export function traceOf(object: object, unwrap: Unwrap): Trace {
  const trace: unknown[] = [];
  const add = (value: unknown) => {
    const entry = unwrap(value);
    trace.push(entry);
    if (!Array.isArray(entry)) return;
    trace.push(entry.length);
    for (let index = 0; index < entry.length; index++) add(entry[index]);
  };
  if (Array.isArray(object)) add(object);
  else
    for (const name in object) {
      trace.push(name);
      add((object as Plain)[name]);
    }
  // A list that has grown reserves memory; the copy does not, and a trace lives long.
  return trace.slice();
}

/** Whether reading an object or a list again would give the same trace. */
export function isAsRead(object: object, trace: Trace, unwrap: Unwrap): boolean {
  if (Array.isArray(object)) return behindSame(object, trace, 0, unwrap) === trace.length;
  let at = 0;
  // `Object.keys` would take as long as the rest for an object with few fields.
  for (const name in object) {
    if (trace[at] !== name) return false;
    at = behindSame((object as Plain)[name], trace, at + 1, unwrap);
  }
  return at === trace.length;
}

/** If the value at index `at` of the trace is unchanged, returns the index after it; otherwise -1, where no trace has an entry. */
function behindSame(value: unknown, trace: Trace, at: number, unwrap: Unwrap): number {
  const entry = trace[at];
  if (!Object.is(value, entry) && !Object.is(unwrap(value), entry)) return -1;
  if (!Array.isArray(entry)) return at + 1;
  if (entry.length !== trace[at + 1]) return -1;
  let next = at + 2;
  for (let index = 0; index < entry.length && next !== -1; index++)
    next = behindSame(entry[index], trace, next, unwrap);
  return next;
}

/** Returns the objects in a trace. */
export function objectsIn(trace: Trace): readonly object[] {
  return trace.filter(isPlain);
}

/** Returns the object or the list that a trace was read from, with `copies` in place of its objects. */
export function fromTrace(trace: Trace, isList: boolean, copies: readonly unknown[]): unknown {
  // The trace of a list of objects: the list, its length, the objects.
  if (isList && trace.length === copies.length + 2) return copies;
  let at = 0;
  let next = 0;
  const take = (): unknown => {
    const entry = trace[at++];
    if (!Array.isArray(entry)) return isPlain(entry) ? copies[next++] : entry;
    const list: unknown[] = [];
    for (let left = trace[at++] as number; left > 0; left--) list.push(take());
    return list;
  };
  if (isList) return take();
  const fields: Plain = {};
  while (at < trace.length) put(fields, trace[at++] as string, take());
  return fields;
}
