import { isJsonObject, type JsonValue } from './json.js';

/** Most values that a copy may hold; a shared reference counts each time, as it would in JSON text. */
const MAX_VALUES = 1_000_000;

/**
 * A deep copy as plain JSON. Unlike JSON.stringify it says what it cannot copy, and where.
 *
 * @throws Error naming the first thing that JSON cannot hold: `its field total is a bigint`
 */
export function jsonCopy(value: unknown): JsonValue {
  const path: (string | number)[] = [];
  const ancestors = new Set<object>();
  let values = 0;

  const unusable = (what: string): never => {
    throw new Error(`${path.length === 0 ? 'it' : `its field ${path.join('.')}`} is ${what}`);
  };
  const below = (key: string | number, inner: unknown): JsonValue => {
    path.push(key);
    const result = copy(inner);
    path.pop();
    return result;
  };
  const copyObject = (object: object): JsonValue => {
    // Not map: a hole must be seen, and refused as the undefined that it is.
    if (Array.isArray(object)) return Array.from(object, (item: unknown, index) => below(index, item));
    if (!isJsonObject(object))
      return unusable(`a ${object.constructor?.name ?? 'special object'}, not plain data`);
    const result: Record<string, JsonValue> = {};
    for (const [key, inner] of Object.entries<unknown>(object)) {
      // As in JSON.stringify: a field that is undefined is no field.
      if (inner === undefined) continue;
      if (key === '__proto__') unusable('an object with the key "__proto__"');
      result[key] = below(key, inner);
    }
    return result;
  };
  const copy = (inner: unknown): JsonValue => {
    if (++values > MAX_VALUES) return unusable('too large');
    if (inner === null || typeof inner === 'string' || typeof inner === 'boolean') return inner;
    if (typeof inner === 'number')
      return Number.isFinite(inner) ? inner : unusable(`${inner}, which JSON cannot hold`);
    if (typeof inner !== 'object') return unusable(inner === undefined ? 'undefined' : `a ${typeof inner}`);
    if (ancestors.has(inner)) return unusable('a reference to something that contains it');
    if (ancestors.size > 200) return unusable('nested too deeply');
    ancestors.add(inner);
    const { toJSON } = inner as { toJSON?: unknown };
    const result =
      typeof toJSON === 'function' ? copy((toJSON as () => unknown).call(inner)) : copyObject(inner);
    ancestors.delete(inner);
    return result;
  };
  return copy(value);
}
