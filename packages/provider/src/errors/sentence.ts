/**
 * Returns a text with a full stop, unless the text already ends like a sentence. The message of an error in the text may or may not be a
 * sentence.
 *
 * @example
 * sentence(`There is no summary: ${error.message}`);
 */
export function sentence(text: string): string {
  return /[.!?…]["')]?$/.test(text) ? text : `${text}.`;
}
