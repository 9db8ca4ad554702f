import type { JsonValue } from '@banister/provider';

/** Returns the value at the end of a path; undefined if the path does not exist. */
export function valueAt(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let current = value;
  for (const key of path) current = childOf(current, key);
  return current;
}

export function childOf(parent: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return undefined;
  return (parent as Readonly<Record<string, JsonValue>>)[key];
}
