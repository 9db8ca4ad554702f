import { invalid } from './invalid.js';

/**
 * Throws `invalid-configuration` for a field that is not known: a misspelt limit would be none.
 *
 * @param refusal the beginning of the message, up to the name
 */
export function checkFields(refusal: string, value: object, known: readonly string[]): void {
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw invalid(`${refusal} ${unknown.join(', ')}; it has ${known.join(', ')}.`);
}
