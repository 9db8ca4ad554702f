// The shapes of values whose origin is unknown: saved data, and the options and tools of an app.

/** Returns a value that stands at a place, checked, or a checked copy of it. Throws a {@link Mismatch}. */
export type Read<T = unknown> = (value: unknown, at: string) => T;

/** A value that is not of the shape that its place needs. */
export class Mismatch extends Error {
  /** @param at the place in the whole value: `guards[1]`; empty for the whole */
  constructor(
    readonly at: string,
    reason: string,
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

/** Reads values for which this is true. */
export function reader<T>(isRight: (value: unknown) => value is T, reason: string): Read<T> {
  return (value, at) => (isRight(value) ? value : wrong(at, reason));
}

export const any: Read = (value) => value;

export const text = reader((value) => typeof value === 'string', 'it is no text');

export const func = reader((value) => typeof value === 'function', 'it is no function');

export const flag = reader((value) => typeof value === 'boolean', 'it is neither true nor false');

/** A text that is not empty. */
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

/** Shapes of the fields of an object. */
export type Fields = Readonly<Record<string, Read>>;

/** An object of any kind with fields of these shapes, which is returned as it is. */
export const having =
  (fields: Fields): Read =>
  (value, at) => {
    if (Object(value) !== value) return wrong(at, 'it is no object');
    for (const [name, read] of Object.entries(fields))
      read((value as Record<string, unknown>)[name], fieldOf(at, name));
    return value;
  };

/** As {@link having}, without other fields: a misspelt option such as `guard` would be ignored, and every call would run. */
export const only =
  (fields: Fields): Read =>
  (value, at) => {
    having(fields)(value, at);
    const unknown = Object.keys(value as object).filter((name) => !Object.hasOwn(fields, name));
    return unknown.length === 0
      ? value
      : wrong(at, `unknown are ${unknown.join(', ')}; known are ${Object.keys(fields).join(', ')}`);
  };

/** Returns the first text that is in the list a second time; undefined where there is none. */
export function repeatedIn(texts: readonly string[]): string | undefined {
  return texts.find((one, index) => texts.indexOf(one) < index);
}
