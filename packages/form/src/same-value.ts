import type { JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';

/** Whether two values are equal as JSON. The order of keys does not matter. */
export function sameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return (
      one.length === other.length &&
      one.every((item, at) => sameValue(item as JsonValue, other[at] as JsonValue))
    );
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameValue(one[name], other[name]))
  );
}
