import { isJsonObject } from './json.js';

/** Half of a surrogate pair without the other half. */
const lone = /\p{Surrogate}/gu;

/**
 * Returns the value with U+FFFD instead of every lone half of a surrogate pair, in keys too. If there is none, returns the same object. An
 * answer that was cut may end in the middle of an emoji. UTF-8 cannot encode half of a pair, so servers would refuse the body of this
 * request, and of every later request of the conversation.
 *
 * @example
 * console.log(wellFormed({ text: 'half \ud83d' }).text); // half \ufffd
 */
export function wellFormed<T>(value: T): T {
  return repaired(value) as T;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(lone, '\ufffd');
  if (Array.isArray(value)) {
    const items = value.map(repaired);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const fields = entries.map(([key, field]) => [key.replace(lone, '\ufffd'), repaired(field)] as const);
  return fields.some(([key, field], index) => key !== entries[index]![0] || field !== entries[index]![1])
    ? Object.fromEntries(fields)
    : value;
}
