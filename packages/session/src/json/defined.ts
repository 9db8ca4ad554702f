/** An object without its undefined fields: a field that may be undefined is optional. */
export type Defined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/**
 * Returns a copy without the fields that are undefined, for data: JSON has no undefined, and `toEqual` and `in` see such a field.
 *
 * @example
 * const record = defined({ id, retryOf }); // { id } where retryOf is undefined
 */
export function defined<const T extends object>(fields: T): Defined<T> {
  const entries = Object.entries<unknown>(fields as Record<string, unknown>);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Defined<T>;
}
