/** An object without its undefined fields. A field that may be undefined is optional. */
type Defined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/**
 * Returns a copy without the fields that are undefined. It is meant for data: JSON has no undefined, and `toEqual` and `in` notice such a
 * field.
 *
 * @example
 * const record = defined({ id, retryOf }); // { id } where retryOf is undefined
 */
export function defined<const T extends object>(fields: T): Defined<T> {
  const copy: Record<string, unknown> = {};
  // A loop, because it runs for nearly every operation: lists of entries would take several times as long.
  for (const key in fields) if (fields[key] !== undefined) copy[key] = fields[key];
  return copy as Defined<T>;
}
