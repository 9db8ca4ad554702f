import { isJsonObject } from '@banister/provider';

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

/** The index that a server stated, as a number or as a text of digits; undefined without one. */
export function indexOf(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : undefined;
}

/** The arguments of a call as text: most servers send text, some an object. */
export function argumentsIn(value: unknown): string {
  return isJsonObject(value) ? JSON.stringify(value) : textIn(value);
}

/** The value of a JSON text; undefined for a text that is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
