import { isJsonObject, type JsonValue } from './json.js';

/** The defaults of {@link jsonCopy}. */
const MAX_VALUES = 1_000_000;
const MAX_DEPTH = 200;

/**
 * Returns a deep copy as plain JSON. Unlike in `JSON.stringify`, the error names the value that cannot be copied, and its place.
 *
 * @param maxValues the highest number of values in the copy; a value with several references counts once per reference, as in JSON text.
 *   Default 1,000,000
 * @param maxDepth how many objects and lists may lie in each other. Default 200
 * @throws Error with the first value that JSON cannot hold: `its field total is a bigint`
 */
export function jsonCopy(value: unknown, maxValues = MAX_VALUES, maxDepth = MAX_DEPTH): JsonValue {
  try {
    return copy(value, { valuesLeft: maxValues, maxDepth, ancestors: new Set() });
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new Error(`${placeOf(error)} is ${error.message}`, { cause: error });
  }
}

interface Walk {
  valuesLeft: number;
  readonly maxDepth: number;
  readonly ancestors: Set<object>;
}

/**
 * A value that JSON cannot hold. Each `copy` that the error passes through adds its key to the path. Keeping the path on the way down would
 * take time for every value of every copy.
 */
class NotJson extends Error {
  readonly path: (string | number)[] = [];
}

/** The whole copy is too large. The error has no place, because the value at which the limit was reached is not the cause. */
class TooLarge extends NotJson {}

function placeOf(error: NotJson): string {
  const { path } = error;
  if (path.length === 0 || error instanceof TooLarge) return 'it';
  return `its field ${path.slice(0, 20).join('.')}${path.length > 20 ? '…' : ''}`;
}

/**
 * Copies a value of any kind. It is a single function, because a conversation is copied while a page opens, before the engine has compiled
 * the code, and each further function would be interpreted at first.
 */
function copy(value: unknown, walk: Walk): JsonValue {
  if (--walk.valuesLeft < 0) throw new TooLarge('too large');
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new NotJson(`${value}, which JSON cannot hold`);
  }
  if (typeof value !== 'object') throw new NotJson(value === undefined ? 'undefined' : `a ${typeof value}`);

  const { ancestors } = walk;
  if (ancestors.has(value)) throw new NotJson('a reference to something that contains it');
  if (ancestors.size > walk.maxDepth) throw new NotJson('nested too deeply');
  ancestors.add(value);
  let result: JsonValue;
  let key: string | number | undefined;
  try {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') result = copy((toJSON as () => unknown).call(value), walk);
    else if (Array.isArray(value)) {
      const items: JsonValue[] = [];
      // The loop counts indexes, so that a hole in the list is read as undefined and refused.
      for (key = 0; key < value.length; key++) items.push(copy(value[key], walk));
      result = items;
    } else if (isJsonObject(value)) {
      const fields: Record<string, JsonValue> = {};
      for (key of Object.keys(value)) {
        const field: unknown = value[key];
        // As in `JSON.stringify`, a field that is undefined is left out.
        if (field === undefined) continue;
        if (key === '__proto__') throw new NotJson('a key that plain data must not have');
        fields[key] = copy(field, walk);
      }
      result = fields;
    } else throw new NotJson(`a ${value.constructor?.name ?? 'special object'}, not plain data`);
  } catch (error) {
    if (error instanceof NotJson && key !== undefined) error.path.unshift(key);
    throw error;
  }
  ancestors.delete(value);
  return result;
}
