import type { JsonValue } from '@banister/provider';

/**
 * Returns the lists inside a value, at every depth, that contain an item twice, each with a number for its content. The time is
 * proportional to the size of the value: each distinct value gets a number, and values that contain it are compared by this number.
 */
export function listsWithTwins(value: JsonValue): ReadonlyMap<object, number> {
  const numbers = new Map<string, number>();
  const found = new Map<object, number>();
  const numberOf = (one: JsonValue): number => {
    const items = Array.isArray(one) ? one.map((item) => numberOf(item as JsonValue)) : undefined;
    const key = items ? `[${items.join()}` : keyOf(one, numberOf);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    if (items && new Set(items).size < items.length) found.set(one as object, number);
    return number;
  };
  numberOf(value);
  return found;
}

function keyOf(one: JsonValue, numberOf: (inner: JsonValue) => number): string {
  if (typeof one === 'string') return `"${one}`;
  // In JSON, zero has no sign, and `String` leaves the sign out.
  if (typeof one !== 'object' || one === null) return String(one);
  const entries = Object.entries(one).map(([name, inner]) => [name, numberOf(inner as JsonValue)] as const);
  return `{${JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}
