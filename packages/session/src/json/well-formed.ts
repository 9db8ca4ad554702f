import { isJsonObject } from './json.js';

/** Half of a surrogate pair without its other half. */
const lone = /\p{Surrogate}/gu;

/**
 * Returns the value with U+FFFD for every half of a surrogate pair, in keys as well; the same object where there is none. An answer
 * that was cut may end in the middle of an emoji, and UTF-8 cannot encode half a pair: servers refuse the whole body, and so
 * every later request of the conversation.
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
