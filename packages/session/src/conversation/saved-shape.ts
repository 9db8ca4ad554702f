import { AgentSessionError } from '../errors/agent-session-error.js';
import { messageOf } from '../errors/to-session-error.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import { jsonCopy } from '../json/json-copy.js';

// The shapes of saved data, whose origin is unknown.

/** Returns a checked copy of a value that stands at a place. Throws `invalid-configuration`, naming the place. */
export type Read<T = unknown> = (value: unknown, at: string) => T;

/**
 * The most values of one field that has no shape, for example the data of an effect. A call cannot hold as many: its text and its
 * result are bounded when they arrive. Lists with a shape have no bound, so that every saved conversation can be opened.
 */
const MAX_VALUES = 3_000_000;

export function wrong(at: string, reason: string): never {
  throw new AgentSessionError('invalid-configuration', `This is no saved conversation: ${at}: ${reason}.`, {
    details: { at },
  });
}

/** Any JSON. */
export const json: Read<JsonValue> = (value, at) => {
  try {
    return jsonCopy(value, MAX_VALUES);
  } catch (error) {
    return wrong(at, messageOf(error));
  }
};

/** A value that another reader copies. */
export const later: Read = (value) => value;

function reader<T>(isRight: (value: unknown) => value is T, reason: string): Read<T> {
  return (value, at) => (isRight(value) ? value : wrong(at, reason));
}

const object = reader(isJsonObject, 'it is no object');

export const text = reader((value) => typeof value === 'string', 'it is no text');

export const flag = reader((value) => typeof value === 'boolean', 'it is neither true nor false');

export const count = reader(
  (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0,
  'it is no count',
);

/** A text that is not empty. */
export const filled: Read<string> = (value, at) => text(value, at) || wrong(at, 'it is empty');

export const textOrNumber: Read<string | number> = (value, at) =>
  typeof value === 'number' ? value : text(value, at);

export const oneOf =
  (...allowed: readonly string[]): Read<string> =>
  (value, at) =>
    allowed.includes(text(value, at)) ? (value as string) : wrong(at, `it is ${JSON.stringify(value)}`);

export const orNull =
  <T>(read: Read<T>): Read<T | null> =>
  (value, at) =>
    value === null ? null : read(value, at);

/** A field that may be absent, and then has the default. */
export const optional =
  <T>(read: Read<T>, absent?: T): Read<T | undefined> =>
  (value, at) =>
    value === undefined ? absent : read(value, at);

export const list =
  <T>(read: Read<T>): Read<T[]> =>
  (value, at) =>
    Array.isArray(value)
      ? value.map((item, index) => read(item, `${at}[${index}]`))
      : wrong(at, 'it is no list');

/** A list that is not empty. */
export const some =
  <T>(read: Read<T>): Read<T[]> =>
  (value, at) => {
    const items = list(read)(value, at);
    return items.length > 0 ? items : wrong(at, 'it is empty');
  };

/** An object with fields of these shapes, which make a `T`. A field that is not listed may be any JSON. */
export const record =
  <T = JsonObject>(fields: Readonly<Record<string, Read>>, others: Read = optional(json)): Read<T> =>
  (value, at) => {
    const copy: Record<string, unknown> = {};
    const given = object(value, at);
    for (const name of new Set([...Object.keys(given), ...Object.keys(fields)])) {
      const place = at === '' ? name : `${at}.${name}`;
      if (name === '__proto__') wrong(place, 'plain data has no such field');
      const read = Object.hasOwn(fields, name) ? fields[name]! : others;
      const field = read(given[name], place);
      if (field !== undefined) copy[name] = field;
    }
    return copy as T;
  };

/** An object in which every field has the same shape. */
export const map = (read: Read): Read<JsonObject> => record({}, read);

/** An object whose shape depends on the text in one of its fields. */
export const variant =
  <T>(field: string, shapes: Readonly<Record<string, Read>>): Read<T> =>
  (value, at) => {
    const kind = object(value, at)[field];
    return typeof kind === 'string' && Object.hasOwn(shapes, kind)
      ? (shapes[kind]!(value, at) as T)
      : wrong(`${at}.${field}`, `it is ${JSON.stringify(kind)}`);
  };
