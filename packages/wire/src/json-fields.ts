import { isJsonObject } from '@banister/provider';

/** The fields of an object that came from outside. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields of a value from outside; an empty object if the value is not an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Returns the value if it is a string, else an empty string. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the elements of a list; an empty list if the value is not a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns the index that a server stated, as a number or as a string of digits; undefined if there is none.
 */
export function indexOf(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : undefined;
}

/** Returns the arguments of a call as text. Most servers send text, some an object. */
export function argumentsIn(value: unknown): string {
  return isJsonObject(value) ? JSON.stringify(value) : textIn(value);
}

/** Parses JSON; undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
