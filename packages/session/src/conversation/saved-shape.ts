import type { JsonObject, JsonValue } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { deepFreeze, isJsonObject } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import {
  Mismatch,
  reader,
  text,
  wrong,
  type Fields,
  type Read,
} from '@banister/provider/internal/json/shape';
import { isBase64 } from './base64.js';

// Functions that read saved data and return a frozen copy. The place of a fault is added to its error from the inside out, because a string
// for the place of each value would take much of the time of reading. So they ignore the parameter `at`.

/**
 * The maximal number of values in a field without a shape, for example the data of an effect. A call cannot have as many, because its text
 * and its result are limited when they arrive. Lists with a shape have no limit, so that every saved conversation can be opened.
 */
const MAX_VALUES = 3_000_000;

const object = reader(isJsonObject, 'it is no object');

export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** Reads any JSON. */
const jsonOf =
  (maxDepth?: number): Read<JsonValue> =>
  (value) => {
    if (value === null || isCount(value)) return value;
    try {
      return deepFreeze(jsonCopy(value, MAX_VALUES, maxDepth));
    } catch (error) {
      return wrong('', messageOf(error));
    }
  };

/** Any JSON. */
export const json = jsonOf();

/** The notes of a session: values of tools, each as deep as `json` permits, lie some levels below the field. */
export const deepJson = jsonOf(250);

export const count = reader(isCount, 'it is no count');

export const base64 = reader(isBase64, 'it is no base64');

export const textOrNumber: Read<string | number> = (value) =>
  typeof value === 'number' ? value : text(value, '');

/** Calls a function, and adds the place to the `Mismatch` that it throws. */
export function within<T>(place: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw placed(place, error);
  }
}

function placed(place: string, error: unknown): unknown {
  if (!(error instanceof Mismatch)) return error;
  const { at, reason } = error;
  return new Mismatch(`${place}.${at}`.replace(/\.(\[|$)/, '$1'), reason);
}

/** Calls a function for each item, and adds the place of the item in the list to the `Mismatch` that it throws. */
export function each<T>(place: string, items: readonly T[], act: (item: T, index: number) => void): void {
  let index = 0;
  try {
    for (; index < items.length; index++) act(items[index]!, index);
  } catch (error) {
    throw placed(`${place}[${index}]`, error);
  }
}

/** Reads a list. */
export const list =
  <T>(read: Read<T>): Read<T[]> =>
  (value) => {
    if (!Array.isArray(value)) return wrong('', 'it is no list');
    const copy: T[] = [];
    // By index, so that a hole in the list is read as undefined.
    each('', value, (item) => copy.push(read(item, '')));
    return Object.freeze(copy) as T[];
  };

/** Reads a list that is not empty. */
export const some =
  <T>(read: Read<T>): Read<T[]> =>
  (value) => {
    const items = list(read)(value, '');
    return items.length > 0 ? items : wrong('', 'it is empty');
  };

/**
 * Reads an object, as a `T`.
 *
 * @param fields the shapes of the fields that it must have
 * @param optional the shapes of the fields that it may have
 * @param others the shape of all other fields
 */
export const record = <T = JsonObject>(
  fields: Fields,
  optional: Fields = {},
  others: Read = json,
): Read<T> => {
  const shapes = { __proto__: null, ...optional, ...fields } as unknown as Partial<Fields>;
  return (value) => {
    const saved = object(value, '');
    const copy: Record<string, unknown> = {};
    let name = '';
    try {
      for (name of Object.keys(saved)) {
        if (name === '__proto__') wrong('', 'plain data has no such field');
        const given = saved[name];
        const read = shapes[name] ?? others;
        // Most values are strings.
        if (typeof given === 'string' && (read === text || read === json)) copy[name] = given;
        else if (given !== undefined) copy[name] = read(given, '');
      }
      for (name in fields) if (!Object.hasOwn(copy, name)) fields[name]!(undefined, '');
    } catch (error) {
      throw placed(name, error);
    }
    return Object.freeze(copy) as T;
  };
};

/** Reads an object in which every field has the same shape. */
export const map = (read: Read): Read<JsonObject> => record({}, {}, read);

/** Reads an object whose shape depends on the string in one of its fields. */
export const variant =
  <T>(field: string, shapes: Fields): Read<T> =>
  (value) => {
    const kind = object(value, '')[field];
    return typeof kind === 'string' && Object.hasOwn(shapes, kind)
      ? (shapes[kind]!(value, '') as T)
      : wrong(field, `it is ${JSON.stringify(kind)}`);
  };
