import { invalid } from './invalid.js';

/**
 * Throws `invalid-configuration` for an unknown field, because a misspelt limit would have no effect.
 *
 * @param refusal the beginning of the message, before the name
 */
export function checkFields(refusal: string, value: object, known: readonly string[]): void {
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw invalid(`${refusal} ${unknown.join(', ')}; it has ${known.join(', ')}.`);
}
