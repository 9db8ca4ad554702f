import type { JsonValue } from '../../json/json.js';

/**
 * Returns the lists inside a value, at each depth, that hold an item twice, with a number for the content of each list. Takes time in proportion to the
 * size of the value: each distinct value has a number, by which those that contain it are compared.
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
  // Zero has no sign in JSON, and `String` leaves it out.
  if (typeof one !== 'object' || one === null) return String(one);
  const entries = Object.entries(one).map(([name, inner]) => [name, numberOf(inner as JsonValue)] as const);
  return `{${JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}
