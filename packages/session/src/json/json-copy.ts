import { isJsonObject, type JsonValue } from './json.js';

/** Most values that a copy may hold; a shared reference counts each time, as it would in JSON text. */
const MAX_VALUES = 1_000_000;
const MAX_DEPTH = 200;

/**
 * A deep copy as plain JSON. Unlike JSON.stringify it says what it cannot copy, and where.
 *
 * @throws Error naming the first thing that JSON cannot hold: `its field total is a bigint`
 */
export function jsonCopy(value: unknown): JsonValue {
  try {
    return copy(value, { values: 0, ancestors: new Set() });
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const { path, message } = error;
    throw new Error(`${path.length === 0 ? 'it' : `its field ${path.join('.')}`} is ${message}`, {
      cause: error,
    });
  }
}

interface Walk {
  values: number;
  readonly ancestors: Set<object>;
}

/** The place is put together on the way out: to keep it on the way in costs every value of every copy. */
class NotJson extends Error {
  readonly path: (string | number)[] = [];
}

/** One function for all kinds of values: a conversation is copied while a page opens, when nothing is compiled yet. */
function copy(value: unknown, walk: Walk): JsonValue {
  if (++walk.values > MAX_VALUES) throw new NotJson('too large');
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new NotJson(`${value}, which JSON cannot hold`);
  }
  if (typeof value !== 'object') throw new NotJson(value === undefined ? 'undefined' : `a ${typeof value}`);

  const { ancestors } = walk;
  if (ancestors.has(value)) throw new NotJson('a reference to something that contains it');
  if (ancestors.size > MAX_DEPTH) throw new NotJson('nested too deeply');
  ancestors.add(value);
  let result: JsonValue;
  let key: string | number | undefined;
  try {
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') result = copy((toJSON as () => unknown).call(value), walk);
    else if (Array.isArray(value)) {
      const items: JsonValue[] = [];
      // By number: a hole must be seen, and refused as the undefined that it is.
      for (key = 0; key < value.length; key++) items.push(copy(value[key], walk));
      result = items;
    } else if (isJsonObject(value)) {
      const fields: Record<string, JsonValue> = {};
      for (key of Object.keys(value)) {
        const field: unknown = value[key];
        // As in JSON.stringify: a field that is undefined is no field.
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
