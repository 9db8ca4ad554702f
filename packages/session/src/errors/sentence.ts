/**
 * Returns a text with a full stop, unless it ends as a sentence does: the message of an error in it may be one, or not.
 *
 * @example
 * sentence(`There is no summary: ${error.message}`);
 */
export function sentence(text: string): string {
  return /[.!?…]["')]?$/.test(text) ? text : `${text}.`;
}
