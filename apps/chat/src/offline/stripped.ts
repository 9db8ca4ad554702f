const BEFORE =
  /^(?:(?:ask me again:|(?:hi|hello|hey)(?: there)?|(?:thanks|thank you|great|nice|perfect|cool)(?=[,.!])|please|pl[sz]|now|ok|okay|also|and|(?:could|can|would|will) you(?: please)?|i(?: would|[’']d) like (?:you )?to|i (?:want|need) (?:you )?to|let[’']?s)[,.!\s]+)+/i;
const POLITE =
  /^(?:(?:(?:hi|hello|hey)(?: there)?|please|pl[sz]|now|ok|okay|also|and)[,.!\s]+)*(?:could|can|would|will) you\b/i;

/**
 * Returns a part of a message without greetings and courtesies, unless it has nothing else. A question keeps
 * its question mark, unless the question is a courtesy.
 */
export function stripped(clause: string): string {
  const text = clause
    .trim()
    .replace(BEFORE, '')
    .replace(/(?:[,\s]+please)?[.!\s]*$/i, '');
  if (text === '') return clause.trim();
  return POLITE.test(clause.trim()) ? text.replace(/(?:[,\s]+please)?[?.!\s]*$/i, '') : text;
}
