import { isPlain, put, type Plain } from './values.js';

/**
 * Returns a copy of a state whose objects are changed in place. Parts that are as they were in an earlier copy are the same objects in both, so
 * that a comparison of the two does not look into them.
 *
 * @param earlier an earlier copy; undefined for the first
 * @param plain returns an object without the proxy around it
 */
export function sharedCopy(state: unknown, earlier: unknown, plain: (value: object) => unknown): unknown {
  if (typeof state !== 'object' || state === null) return state;
  const value = plain(state);
  if (Array.isArray(value)) return copyOfList(value, Array.isArray(earlier) ? earlier : [], plain);
  return isPlain(value) ? copyOfFields(value, isPlain(earlier) ? earlier : {}, plain) : value;
}

function copyOfList(
  list: readonly unknown[],
  earlier: readonly unknown[],
  plain: (value: object) => unknown,
) {
  let copy: unknown[] | undefined = list.length === earlier.length ? undefined : [];
  for (let index = 0; index < list.length; index++) {
    const part = sharedCopy(list[index], earlier[index], plain);
    if (copy === undefined && !Object.is(part, earlier[index])) copy = earlier.slice(0, index);
    copy?.push(part);
  }
  return copy ?? earlier;
}

function copyOfFields(fields: Plain, earlier: Plain, plain: (value: object) => unknown) {
  let copy: Plain | undefined;
  let count = 0;
  // Without a list of the names, which costs as much as the rest for an object of few fields.
  for (const name in fields) {
    const known = earlier[name];
    const part = sharedCopy(fields[name], known, plain);
    // A value that is a text, a number or a boolean is inherited from nowhere.
    const isSame = Object.is(part, known) && (isOwnValue(part) || Object.hasOwn(earlier, name));
    if (!isSame) copy ??= firstOf(earlier, fields, count);
    if (copy !== undefined) put(copy, name, part);
    count++;
  }
  return copy ?? (count === countOf(earlier) ? earlier : firstOf(earlier, fields, count));
}

/** Returns the first `count` fields, which are the same in an earlier copy, as they are there. */
function firstOf(earlier: Plain, fields: Plain, count: number): Plain {
  const names = Object.keys(fields).slice(0, count);
  const copy: Plain = {};
  for (const name of names) put(copy, name, earlier[name]);
  return copy;
}

function countOf(fields: Plain): number {
  let count = 0;
  for (const _name in fields) count++;
  return count;
}

function isOwnValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
