const BEFORE =
  /^(?:(?:ask me again:|please|now|ok|okay|also|and|(?:could|can|would|will) you(?: please)?|i(?: would|[’']d) like (?:you )?to|i (?:want|need) (?:you )?to|let[’']?s)[,\s]+)+/i;
const POLITE = /^(?:(?:please|now|ok|okay|also|and)[,\s]+)*(?:could|can|would|will) you\b/i;

/** A part of a message without its courtesies. A question keeps its mark, unless that is a courtesy too. */
export function stripped(clause: string): string {
  const text = clause
    .trim()
    .replace(BEFORE, '')
    .replace(/(?:[,\s]+please)?[.!\s]*$/i, '');
  return POLITE.test(clause.trim()) ? text.replace(/(?:[,\s]+please)?[?.!\s]*$/i, '') : text;
}
