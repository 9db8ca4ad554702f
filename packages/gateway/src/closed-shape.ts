import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '@banister/provider';
import { malformed } from './refusal.js';

// Shapes check the values of a request. They are closed: an unknown field is refused, so that a request cannot ask for anything that the
// gateway does not know.

/** Checks a value; undefined if it is absent. `at` is its place, for the message. Throws a refusal with the status 400. */
export type Shape = (value: JsonValue | undefined, at: string) => void;

/** A field that may be absent. */
export const optional =
  (shape: Shape): Shape =>
  (value, at) => {
    if (value !== undefined) shape(value, at);
  };

const is =
  (test: (value: JsonValue | undefined) => boolean, kind: string): Shape =>
  (value, at) => {
    if (!test(value)) throw malformed(`${at} is not ${kind}.`);
  };

export const text = is((value) => typeof value === 'string', 'a text');

export const json = is((value) => value !== undefined, 'there');

export const object = is(isJsonObject, 'an object');

export const count = is((value) => Number.isSafeInteger(value) && (value as number) > 0, 'a number above 0');

/** A string that matches a pattern. */
export const matching = (pattern: RegExp, kind: string): Shape =>
  is((value) => typeof value === 'string' && pattern.test(value), kind);

export const oneOf = (...values: readonly JsonValue[]): Shape =>
  is((value) => values.includes(value!), `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`);

const array = is((value) => Array.isArray(value), 'a list');

export const list =
  (shape: Shape): Shape =>
  (value, at) => {
    array(value, at);
    (value as JsonArray).forEach((item, index) => shape(item, `${at}[${index}]`));
  };

/** An object that may have only these fields. */
export const closed =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value, at) => {
    object(value, at);
    const given = value as JsonObject;
    for (const name of Object.keys(given))
      if (!Object.hasOwn(fields, name)) throw malformed(`${at} has a field that the gateway does not take.`);
    for (const [name, shape] of Object.entries(fields)) shape(given[name], `${at}.${name}`);
  };

/** An object whose shape is chosen by the string in `field`. */
export const variant = (field: string, shapes: Readonly<Record<string, Shape>>): Shape => {
  const known = oneOf(...Object.keys(shapes));
  return (value, at) => {
    const kind = (value as JsonObject | null)?.[field] ?? null;
    known(kind, `${at}.${field}`);
    shapes[kind as string]!(value, at);
  };
};
