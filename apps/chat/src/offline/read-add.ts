import type { Command } from './command.js';
import { OWNERS } from './owner-pattern.js';
import { besideQuotes, quoted } from './quoted.js';
import { NUMBER, numberIn, splitColumn } from './read-cards.js';
import { readDays } from './read-day.js';

/** The highest number of cards that one message adds. */
const MOST = 8;
/** The longest title of a card, without quotation marks and between them. */
const LONGEST = 120;
const LONGEST_QUOTED = 500;

const MARKED =
  /^(?:an?\s+|the\s+|another\s+)?(?:new\s+)?(?:card|task)\s*(?:called|named|titled|saying|that says|with (?:the )?title|:)\s*/i;
const PLAIN =
  /^(?:an?\s+|the\s+|another\s+)?(?:new\s+)?(?:card|task)\s+(?:to\s+(?!the\b|my\b|our\b|an?\b|your\b|every\b|each\b))?/i;
/**
 * Meanings of "add" outside of a board. A title that begins with an article must be in quotation marks, or
 * follow "a card".
 */
const FOREIGN =
  /^(?:me|you|us|him|her|them|it|this|that|these|those|myself|up|to|in|into|on|on top|more|less|no|not|all|any|anything|something|everything|nothing|some|\d+\b.*(?:\+|and|to|plus)|-?\d+|(?:two|three|four|five|six|seven|eight|nine|ten|another|one) |an? |(?:the|my|your|our|their) )/i;
/** A detail before the card: "add estimate 3 to logo". */
const DETAIL_FIRST = new RegExp(
  `^(?:${OWNERS}|owner|assignee|due|deadline|label|tag|estimate|comment|note|reminder|subtask|checklist|description|priority|attachment|swimlane)s?\\b`,
  'i',
);
/** These words show that the text is not a topic, because another command follows. */
const TWO_WISHES = /\b(?:about|to|that|which|or|every|each|all)\b/i;
/** A place that is not a column. */
const ELSEWHERE =
  /\b(?:to|into|onto|in|on|around|from) (?:the|my|our|your|his|her|their|this|every|each|all)\b/i;

/**
 * Reads "add" with a title, a list of titles or a number of cards; "make", "write" and "create" only with
 * "card" or "task".
 */
export function readAdd(text: string): Command | null {
  const [, verb, rest] = /^(add|create|make|write|new)\s+(.+)$/is.exec(text) ?? [];
  if (verb === undefined || rest === undefined) return null;
  const detailed = readDetailed(verb, rest);
  if (detailed !== null) return detailed;
  const { column: named, before } = splitColumn(rest, 'to|in|into|on');
  const column = named ?? 'Todo';
  if (verb === 'new' && !/^(?:card|task)\b/i.test(before)) return null;
  const quotes = quoted(before);
  if (quotes.length > 0) {
    const beside = besideQuotes(before);
    const isOne = BESIDE_TITLES.test(beside) && quotes.every((title) => isTitle(title, LONGEST_QUOTED));
    const isCard = /^add$/i.test(verb) || /\b(?:cards?|tasks?)\b/.test(beside);
    return isOne && isCard ? { type: 'add', titles: quotes, column } : null;
  }
  return readNumber(before, column) ?? readTitles(verb.toLowerCase(), before, column);
}

const OWNER = `(${OWNERS})`;
/** "A card for Ana: renew the certificate" */
const OWNER_FIRST = new RegExp(
  `^((?:an?\\s+|the\\s+|new\\s+)*(?:card|task))\\s+(?:for|assigned to|owned by)\\s+${OWNER}\\s*:\\s*(.+)$`,
  'is',
);
const OWNER_LAST = new RegExp(`^(.+?)[,\\s]+(?:(?:for|assigned to|owned by)\\s+)${OWNER}$`, 'is');
const DUE_LAST = /^(.+?)[,\s]+due(?:\s+(?:on|by|for))?\s+([^"“”„]+)$/is;
const DAY_LAST = /^(.+)[,\s]+(?:by|until|for)\s+([^"“”„]+)$/is;

/**
 * Reads a new card with an owner or a day. It becomes a question, because details are set by separate
 * commands after the card is added.
 */
function readDetailed(verb: string, text: string): Command | null {
  const steps: string[] = [];
  const { column, before: named } = splitColumn(text, 'to|in|into|on');
  const place = column === null ? '' : ` to ${column}`;
  let rest = named.replace(OWNER_FIRST, '$1: $3 for $2');
  for (let left = 2; left > 0; left--) {
    const [, before, owner] = OWNER_LAST.exec(rest) ?? [];
    const [, earlier, day] = DUE_LAST.exec(rest) ?? DAY_LAST.exec(rest) ?? [];
    if (before !== undefined) steps.unshift(`assign it to ${owner}`);
    else if (earlier !== undefined && readDays(day!).length > 0) steps.unshift(`make it due ${day}`);
    else break;
    rest = (before ?? earlier)!;
  }
  if (steps.length === 0) return null;
  const card =
    readAdd(`${verb} ${rest}${place}`) ?? readAdd(`${verb} ${rest.replace(PLAIN, 'card: ')}${place}`);
  if (card?.type !== 'add' && card?.type !== 'invent') return null;
  const isPlain = card.type === 'add' && quoted(text).length === 0;
  return {
    type: 'choose',
    question: 'Nothing is changed yet: a new card gets its owner and its due date afterwards. Is it this?',
    options: [
      [`Add ${newCards(card)} to ${card.column}`, ...steps].join('; '),
      ...(isPlain ? [`Add a card “${named.replace(MARKED, '').replace(PLAIN, '')}” to ${card.column}`] : []),
    ],
  };
}

function newCards(command: Extract<Command, { type: 'add' | 'invent' }>): string {
  if (command.type === 'add') return command.titles.map((title) => `“${title}”`).join(' and ');
  const { count, topic } = command;
  return `${count === 1 ? 'a card' : `${count} cards`}${topic === null ? '' : ` about ${topic}`}`;
}

const BESIDE_TITLES =
  /^(?:(?:an?|the|new|another|and|cards?|tasks?|called|named|titled|with|title|titles|saying|that|says|two|three|four)(?:\s|$))*$/;

function readNumber(text: string, column: string): Command | null {
  const many = new RegExp(
    `^(${NUMBER})\\s+(?:new\\s+|more\\s+)?(?:cards?|tasks?|ideas?)(?:\\s+(?:about|for)\\s+(.+))?$`,
    'i',
  ).exec(text);
  if (many) {
    const [count, topic] = [numberIn(many[1]!), many[2]?.trim() ?? null];
    if (topic !== null && TWO_WISHES.test(topic)) return null;
    if (count >= 1 && count <= MOST) return { type: 'invent', count, topic, column };
    const about = topic === null ? '' : ` about ${topic}`;
    return {
      type: 'choose',
      question: `I add between one card and ${MOST} at once.`,
      options: [`Add ${MOST} cards${about} to ${column}`],
    };
  }
  const one = /^(?:an?\s+|another\s+|new\s+)*(?:card|task)(?:\s+(?:about|for)\s+(.+))?$/i.exec(text);
  if (one === null || TWO_WISHES.test(one[1] ?? '')) return null;
  return { type: 'invent', count: 1, topic: one[1] ?? null, column };
}

function readTitles(verb: string, text: string, column: string): Command | null {
  const marked = text.replace(MARKED, '');
  if (marked !== text) return isTitle(marked) ? { type: 'add', titles: [marked], column } : null;
  const plain = text.replace(PLAIN, '');
  if (plain !== text) {
    // "A card game" is not a card with the title "game".
    const isNamed = /\s/.test(plain) && isTitle(plain) && !ELSEWHERE.test(plain);
    return isNamed &&
      (verb === 'add' || verb === 'new' || text !== text.replace(/^\S.*?\b(?:card|task)\s+to\s/i, '')) &&
      !/^(?:when|that|which|who|with|of|in|on|to|for|about|from|and|or|deck|game|trick|reader|number|force|list|manager|holder|shop)\b/i.test(
        plain,
      )
      ? { type: 'add', titles: [plain], column }
      : null;
  }
  if (verb !== 'add' || FOREIGN.test(text) || DETAIL_FIRST.test(text) || ELSEWHERE.test(text)) return null;
  if (/\b(?:cards?|tasks?|columns?|board|or|as)\b|[?()]/i.test(text)) return null;
  const titles = titlesIn(text);
  return titles.every((title) => isTitle(title)) ? { type: 'add', titles, column } : null;
}

/** "Milk, eggs and bread" are three titles; "make tea and cake" is one. */
function titlesIn(text: string): readonly string[] {
  const items = text.split(/\s*,\s*(?:and\s+)?|\s+and\s+(?=[^,]*$)/i).filter(Boolean);
  const commas = text.split(',').length - 1;
  const isList = commas > 1 || (commas === 1 && items.length > 2);
  return isList && items.length <= MOST && items.every((item) => item.split(/\s+/).length <= 4)
    ? items
    : [text];
}

function isTitle(text: string, longest = LONGEST): boolean {
  return text.trim() !== '' && text.length <= longest;
}
