import type { JsonObject, JsonValue } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { isJsonObject } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import {
  fieldOf,
  list,
  optional,
  reader,
  text,
  wrong,
  type Fields,
  type Read,
} from '@banister/provider/internal/json/shape';
import { isBase64 } from './base64.js';

// Functions that read saved data and return a copy.

/**
 * The maximal number of values in a field without a shape, for example the data of an effect. A call cannot have as many, because its text
 * and its result are limited when they arrive. Lists with a shape have no limit, so that every saved conversation can be opened.
 */
const MAX_VALUES = 3_000_000;

const object = reader(isJsonObject, 'it is no object');

/** Reads any JSON. */
const jsonOf =
  (maxDepth?: number): Read<JsonValue> =>
  (value, at) => {
    if (typeof value === 'string') return value;
    try {
      return jsonCopy(value, MAX_VALUES, maxDepth);
    } catch (error) {
      return wrong(at, messageOf(error));
    }
  };

/** Any JSON. */
export const json = jsonOf();

/** The notes of a session: values of tools, each as deep as `json` permits, lie some levels below the field. */
export const deepJson = jsonOf(250);

export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

export const count = reader(isCount, 'it is no count');

export const base64 = reader(isBase64, 'it is no base64');

export const textOrNumber: Read<string | number> = (value, at) =>
  typeof value === 'number' ? value : text(value, at);

/** Reads a list that is not empty. */
export const some =
  <T>(read: Read<T>): Read<T[]> =>
  (value, at) => {
    const items = list(read)(value, at);
    return items.length > 0 ? items : wrong(at, 'it is empty');
  };

/** Reads an object with fields of these shapes, as a `T`. A field that is not listed may be any JSON. */
export const record =
  <T = JsonObject>(fields: Fields, others: Read = optional(json)): Read<T> =>
  (value, at) => {
    const copy: Record<string, unknown> = {};
    const given = object(value, at);
    for (const name of Object.keys(given)) {
      const place = fieldOf(at, name);
      if (name === '__proto__') wrong(place, 'plain data has no such field');
      const field = (Object.hasOwn(fields, name) ? fields[name]! : others)(given[name], place);
      if (field !== undefined) copy[name] = field;
    }
    for (const name in fields) if (!Object.hasOwn(given, name)) fields[name]!(undefined, fieldOf(at, name));
    return copy as T;
  };

/** Reads an object in which every field has the same shape. */
export const map = (read: Read): Read<JsonObject> => record({}, read);

/** Reads an object whose shape depends on the string in one of its fields. */
export const variant =
  <T>(field: string, shapes: Fields): Read<T> =>
  (value, at) => {
    const kind = object(value, at)[field];
    return typeof kind === 'string' && Object.hasOwn(shapes, kind)
      ? (shapes[kind]!(value, at) as T)
      : wrong(`${at}.${field}`, `it is ${JSON.stringify(kind)}`);
  };
