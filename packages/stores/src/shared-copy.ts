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
  const names = Object.keys(fields);
  let copy: Plain | undefined = names.length === Object.keys(earlier).length ? undefined : {};
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    const known = earlier[name];
    const part = sharedCopy(fields[name], known, plain);
    // A value that is a text, a number or a boolean is inherited from nowhere.
    const isSame = Object.is(part, known) && (isOwnValue(part) || Object.hasOwn(earlier, name));
    if (copy === undefined && !isSame) {
      copy = {};
      for (let same = 0; same < index; same++) put(copy, names[same]!, earlier[names[same]!]);
    }
    if (copy !== undefined) put(copy, name, part);
  }
  return copy ?? earlier;
}

function isOwnValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
