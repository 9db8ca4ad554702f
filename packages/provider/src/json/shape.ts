// Shapes for values of unknown origin: saved data, and the options and tools of an app.

/** Checks a value and returns it, or a checked copy of it. `at` is its place in the whole value. Throws a {@link Mismatch}. */
export type Read<T = unknown> = (value: unknown, at: string) => T;

/** The error of a value that does not have the required shape. */
export class Mismatch extends Error {
  /** @param at the place in the whole value, such as `guards[1]`; empty for the whole value */
  constructor(
    readonly at: string,
    readonly reason: string,
  ) {
    super(at === '' ? reason : `${at}: ${reason}`);
  }
}

export function wrong(at: string, reason: string): never {
  throw new Mismatch(at, reason);
}

export function fieldOf(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

/** Returns a `Read` that accepts the values for which `isRight` returns true. */
export function reader<T>(isRight: (value: unknown) => value is T, reason: string): Read<T> {
  return (value, at) => (isRight(value) ? value : wrong(at, reason));
}

export const any: Read = (value) => value;

export const text = reader((value) => typeof value === 'string', 'it is no text');

export const func = reader((value) => typeof value === 'function', 'it is no function');

export const flag = reader((value) => typeof value === 'boolean', 'it is neither true nor false');

/** Reads a string that is not empty. */
export const filled: Read<string> = (value, at) => text(value, at) || wrong(at, 'it is empty');

export const oneOf =
  (...allowed: readonly string[]): Read<string> =>
  (value, at) =>
    allowed.includes(value as string)
      ? (value as string)
      : wrong(at, `it is ${JSON.stringify(value)}, none of "${allowed.join('", "')}"`);

export const orNull =
  <T>(read: Read<T>): Read<T | null> =>
  (value, at) =>
    value === null ? null : read(value, at);

export const positive = reader(
  (value): value is number => typeof value === 'number' && value > 0,
  'it is no number above 0',
);

/** Reads a field that may be absent, and then has the value `absent`. */
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

/** The shapes of the fields of an object. */
export type Fields = Readonly<Record<string, Read>>;

/** Reads an object of any kind with fields of these shapes. The object itself is returned. */
export const having =
  (fields: Fields): Read =>
  (value, at) => {
    if (Object(value) !== value) return wrong(at, 'it is no object');
    for (const [name, read] of Object.entries(fields))
      read((value as Record<string, unknown>)[name], fieldOf(at, name));
    return value;
  };

/** Like {@link having}, but refuses other fields: a misspelt option such as `guard` would be ignored, and every call would run. */
export const only =
  (fields: Fields): Read =>
  (value, at) => {
    having(fields)(value, at);
    const unknown = Object.keys(value as object).filter((name) => !Object.hasOwn(fields, name));
    return unknown.length === 0
      ? value
      : wrong(at, `unknown are ${unknown.join(', ')}; known are ${Object.keys(fields).join(', ')}`);
  };

/** Returns the first string that occurs twice in the list; undefined if there is none. */
export function repeatedIn(texts: readonly string[]): string | undefined {
  return texts.find((one, index) => texts.indexOf(one) < index);
}
