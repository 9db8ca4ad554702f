/** The fields of an object from outside. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a value from outside; none when it is no object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** The value when it is a string, else an empty one. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The elements of a list; none when it is no list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value of a JSON text; undefined for a text that is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
