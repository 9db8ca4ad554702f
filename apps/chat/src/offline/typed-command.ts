/**
 * A typed command that the page itself carries out, with the same methods as its buttons. A model cannot undo
 * or repeat a turn, because no turn may run meanwhile.
 */
export type TypedCommand =
  | { readonly type: 'undo' }
  | { readonly type: 'redo' }
  /** `not those` undoes all changes of the newest turn; `not that one` its only change. */
  | { readonly type: 'not'; readonly which: 'all' | 'one' }
  /** Asks for the newest turn again, without some of its cards. */
  | { readonly type: 'without'; readonly cards: readonly string[] };

const THAT = '(?:that|this|it|them|those|these)';
const POLITE = /^(?:(?:please|now|ok|okay|oh|oops|whoops|no|and|but|could you|can you)[,\s]+)+/i;

const UNDO = new RegExp(
  `^(?:(?:undo|revert)(?: (?:${THAT}|(?:(?:the|your) )?last (?:one|turn|changes?|thing)))?|(?:take|roll) ${THAT} back|(?:take|roll) back ${THAT})$`,
  'i',
);
const REDO = new RegExp(
  `^(?:redo(?: (?:${THAT}|the last (?:one|turn)))?|do ${THAT} again|bring ${THAT} back)$`,
  'i',
);
const NOT = /^not (?:those|these|them|(that|this|it)(?: one)?)$/i;
/** "Not bad" is not a command: "not" needs a title in quotation marks, or "the". */
const WITHOUT = /^(?:without|except(?: for)?|all but|leave out|not(?=\s+(?:the\s|[“"„])))\s+(.+)$/is;
/**
 * At the end of a message, with the cards in quotation marks, because titles may contain the word "without".
 */
const EXCEPTION = /^(.*\S),?\s+without\s+((?:“[^”]+”(?:,\s*|\s+and\s+)?)+)[.!]?\s*$/is;

/** Reads typed text as a command of the page; null for everything else. */
export function readTypedCommand(text: string): TypedCommand | null {
  const words = text
    .trim()
    .replace(POLITE, '')
    .replace(/(?:[,\s]+please)?[.!\s]*$/i, '');
  if (UNDO.test(words)) return { type: 'undo' };
  if (REDO.test(words)) return { type: 'redo' };
  const not = NOT.exec(words);
  if (not) return { type: 'not', which: not[1] === undefined ? 'all' : 'one' };
  const without = WITHOUT.exec(words)?.[1];
  if (without === undefined) return null;
  const quotes = quotedIn(without);
  if (quotes.length > 0) return { type: 'without', cards: quotes };
  return { type: 'without', cards: [without.replace(/^(?:the (?:card )?|card )/i, '')] };
}

/** Returns a message without the exception at its end, and the titles in the exception. */
export function readException(text: string): { readonly text: string; readonly without: readonly string[] } {
  const [, asked, cards] = EXCEPTION.exec(text) ?? [];
  if (asked === undefined || cards === undefined) return { text, without: [] };
  return { text: asked.replace(/,$/, ''), without: quotedIn(cards) };
}

/** Returns the message that asks for the same, without some cards. */
export function withException(text: string, cards: readonly string[]): string {
  const { text: asked, without } = readException(text);
  const all = [...new Set([...without, ...cards])].map((card) => `“${card}”`);
  const listed = [all.slice(0, -1).join(', '), all.at(-1)].filter(Boolean).join(' and ');
  return `${asked.replace(/[.!\s]+$/, '')}, without ${listed}`;
}

function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/[“"„]([^“”"„]+)[”"“]/g)].map((match) => match[1]!.trim());
}
