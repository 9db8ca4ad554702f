import { isPlain, put, type Plain } from './values.js';

/**
 * All that was read of an object or of a list: each name, each value, and behind each list its length and its elements. The fields of an object
 * in it are not there. One flat list takes the least time to compare.
 */
export type Trace = readonly unknown[];

/** Returns the value behind a proxy, or behind a reference; any other value as it is. */
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
  // A list that has grown holds room for more, and a trace stays.
  return trace.slice();
}

/** Whether an object or a list would be read as it was. */
export function isAsRead(object: object, trace: Trace, unwrap: Unwrap): boolean {
  if (Array.isArray(object)) return behindSame(object, trace, 0, unwrap) === trace.length;
  let at = 0;
  // Without a list of the names, which costs as much as the rest for an object of few fields.
  for (const name in object) {
    if (trace[at] !== name) return false;
    at = behindSame((object as Plain)[name], trace, at + 1, unwrap);
  }
  return at === trace.length;
}

/** Returns the position in a trace behind a value that is the same there; -1, where no trace has a value, where it is another one. */
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

/** Returns what a trace was read of: an object or a list, with copies in the place of the objects in it. */
export function fromTrace(trace: Trace, isList: boolean, copies: readonly unknown[]): unknown {
  // A list of nothing but objects, behind itself and its length.
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
