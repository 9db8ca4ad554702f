import type { JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import type { FieldPath, ValueChange } from './form-field.js';
import { sameValue } from './same-value.js';

/** Returns the parts in which two values differ: properties, items of lists with the same length, otherwise the whole value. */
export function valueChanges(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: FieldPath = [],
): readonly Omit<ValueChange, 'label'>[] {
  if (sameValue(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const own = (value: Readonly<Record<string, JsonValue>>, name: string) =>
      Object.hasOwn(value, name) ? value[name] : undefined;
    return names.flatMap((name) => valueChanges(own(before, name), own(after, name), [...path, name]));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item: JsonValue, at) => valueChanges(item, after[at] as JsonValue, [...path, at]));
  return [{ path, before, after }];
}
