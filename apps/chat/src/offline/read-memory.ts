import type { Command } from './command.js';
import { stripped } from './stripped.js';

/** A command about what is remembered. */
export type MemoryCommand = Extract<Command, { type: 'remember' | 'forget' | 'recall' }>;

const REMEMBER =
  /^(?:remember|(?:do not|don[’']?t|never) forget|keep in mind|bear in mind|note(?: down)?(?= that\b)|memori[sz]e)(?:\s+that\b|\s*:|\s+(?=the |we |our |i |my |to |all |every |no |an? ))\s*(.+)$/is;
const FORGET =
  /^(?:forget|stop remembering)(?:\s+that\b|\s+about\b|\s*:|\s+the fact(?: that)?\b|\s+(?=we |our |i |my |the ))\s*(.+)$/is;
const RECALL =
  /^(?:what (?:do|can) you (?:still )?(?:remember|know about (?:me|us|the team))|what have you remembered|what is remembered|what(?:[’']s| is) in your memory|(?:show|list|tell)(?: me)? (?:(?:all|everything) )?(?:what you remember|your memory|(?:the|all|your) facts))\b/i;
/** These end a text that names no fact: "forget that", "never mind". */
const NOTHING = /^(?:it|that|this|them|everything|all|please)?[.!\s]*$/i;

/**
 * Reads a whole message as a command about what is remembered; null for every other message. A fact may have
 * any words, so the message is not divided.
 */
export function readMemory(message: string): MemoryCommand | null {
  const text = stripped(message);
  if (RECALL.test(text)) return { type: 'recall' };
  const fact = REMEMBER.exec(text)?.[1];
  if (fact !== undefined) return NOTHING.test(fact) ? null : { type: 'remember', text: tidied(fact) };
  const about = FORGET.exec(text)?.[1];
  return about === undefined || NOTHING.test(about) ? null : { type: 'forget', about: tidied(about) };
}

/** Returns a fact without the quotation marks around it, with a capital letter at its beginning. */
function tidied(fact: string): string {
  const text = fact.trim().replace(/^["“„](.*)["”“]$/s, '$1');
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}
