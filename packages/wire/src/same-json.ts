import { isJsonObject, strictParse, type JsonValue } from '@banister/provider';

/** Returns true if the text is a complete JSON object, as arguments are. */
export function isWholeObject(text: string): boolean {
  // Most texts in the middle of a call do not end with `}` and need no parser.
  if (!text.trimEnd().endsWith('}')) return false;
  const parsed = strictParse(text);
  return parsed.ok && isJsonObject(parsed.value);
}

/** Returns true if both texts are JSON and differ at most in spaces and in the order of keys. */
export function isSameJson(one: string, other: string): boolean {
  const [a, b] = [strictParse(one), strictParse(other)];
  return a.ok && b.ok && sorted(a.value) === sorted(b.value);
}

function sorted(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: JsonValue) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
