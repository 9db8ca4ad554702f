import { listOf, objectOf, textOf, wrong } from './saved-json.js';

// The shapes of saved data, as data. A check throws `invalid-configuration` and names the place.

/** Checks a value that stands at a place. */
export type Check = (value: unknown, at: string) => void;

/** A value that is true or false. */
export const flag: Check = (value, at) => {
  if (typeof value !== 'boolean') wrong(at, 'it is neither true nor false');
};

/** A whole number. */
export const count: Check = (value, at) => {
  if (!Number.isSafeInteger(value)) wrong(at, 'it is no count');
};

/** A text or a number. */
export const textOrNumber: Check = (value, at) => {
  if (typeof value !== 'number') textOf(value, at);
};

export const oneOf =
  (...allowed: readonly string[]): Check =>
  (value, at) => {
    if (!allowed.includes(textOf(value, at))) wrong(at, `it is ${JSON.stringify(value)}`);
  };

/** A field that may be absent. */
export const optional =
  (check: Check): Check =>
  (value, at) => {
    if (value !== undefined) check(value, at);
  };

export const listWith =
  (check: Check): Check =>
  (value, at) =>
    listOf(value, at).forEach((item, index) => check(item, `${at}[${index}]`));

/** An object with fields of these shapes; further fields may have any. */
export const objectWith =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, at) => {
    const object = objectOf(value, at);
    for (const [name, check] of Object.entries(fields)) check(object[name], `${at}.${name}`);
  };

/** An object in which every field has the same shape. */
export const mapOf =
  (check: Check): Check =>
  (value, at) => {
    for (const [name, one] of Object.entries(objectOf(value, at))) check(one, `${at}.${name}`);
  };
