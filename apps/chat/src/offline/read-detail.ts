import { detailNames, estimateWords, labels, owners, type DetailName } from '../board/card-details.js';
import { dayOf, dayWords } from '../board/day-words.js';
import type { Cards, Command, Details } from './command.js';
import { OWNERS } from './owner-pattern.js';
import { quoted } from './quoted.js';
import { numberIn, readCards } from './read-cards.js';
import { readDays } from './read-day.js';

const NAMES: Readonly<Record<string, DetailName>> = {
  owner: 'owner',
  assignee: 'owner',
  due: 'due',
  'due date': 'due',
  'due day': 'due',
  deadline: 'due',
  label: 'label',
  tag: 'label',
  estimate: 'estimate',
};
const NAME = `(${Object.keys(NAMES)
  .toSorted((a, b) => b.length - a.length)
  .join('|')})`;

/** Each pattern gives the name of the detail, the card and the value; a null value removes the detail. */
type Parts = readonly [name: DetailName, card: string, value: string | null];
const forms: readonly [form: RegExp, parts: (...groups: string[]) => Parts][] = [
  [
    new RegExp(
      `^(?:set|change|make|put)\\s+(?:the\\s+)?${NAME}\\s+(?:of|for|on)\\s+(.+)\\s+(?:to|as|at)\\s+(.+)$`,
      'is',
    ),
    (name, card, value) => [NAMES[name!.toLowerCase()]!, card!, value!],
  ],
  [
    new RegExp(`^(?:set|change)\\s+(.+?)[’']s\\s+${NAME}\\s+to\\s+(.+)$`, 'is'),
    (card, name, value) => [NAMES[name!.toLowerCase()]!, card!, value!],
  ],
  [
    new RegExp(`^(?:remove|clear|delete|drop)\\s+(?:the\\s+)?${NAME}\\s+(?:of|from|on)\\s+(.+)$`, 'is'),
    (name, card) => [NAMES[name!.toLowerCase()]!, card!, null],
  ],
  [new RegExp(`^assign\\s+(${OWNERS})\\s+to\\s+(.+)$`, 'is'), (owner, card) => ['owner', card!, owner!]],
  [/^(?:assign|reassign)\s+(.+)\s+to\s+(.+)$/is, (card, owner) => ['owner', card!, owner!]],
  [new RegExp(`^give\\s+(.+)\\s+to\\s+(${OWNERS})$`, 'is'), (card, owner) => ['owner', card!, owner!]],
  [new RegExp(`^give\\s+(${OWNERS})\\s+(.+)$`, 'is'), (owner, card) => ['owner', card!, owner!]],
  [/^make\s+(.+)\s+the\s+owner\s+of\s+(.+)$/is, (owner, card) => ['owner', card!, owner!]],
  [
    /^(?:make|set|mark)\s+(.+)\s+due(?:\s+(?:on|by|to|for))?\s+(.+)$/is,
    // A title may contain the word "due", so the card is read first, with the "as" after it.
    (card, day) => ['due', card!.replace(/\s+as$/i, ''), day!],
  ],
  [/^(?:label|tag)\s+(.+)\s+(?:as|with)\s+(.+)$/is, (card, label) => ['label', card!, label!]],
  [/^estimate\s+(.+)\s+(?:at|as|to)\s+(.+)$/is, (card, days) => ['estimate', card!, days!]],
  [/^(?:unassign)\s+(.+)$/is, (card) => ['owner', card!, null]],
];

/**
 * Reads the owner, the due date, the label or the estimate of cards. A value that a card cannot have becomes
 * a question with the possible values.
 */
export function readDetail(text: string): Command | null {
  const owner = readOwner(text);
  if (owner !== null) return owner;
  for (const [form, partsOf] of forms) {
    const found = form.exec(text);
    if (found === null) continue;
    const [name, card, value] = partsOf(...found.slice(1));
    const cards = cardsIn(card);
    if (cards === null) continue;
    return value === null
      ? { type: 'detail', cards, details: { clear: [name] } }
      : detailOf(name, cards, value.trim().replace(/^["“„'](.+)["”“']$/s, '$1'), cardWords(cards));
  }
  return null;
}

const OWNER = `(?:${OWNERS})`;

/**
 * Several owners for one card, or removing one of several, becomes a question, because a card has only one
 * owner.
 */
function readOwner(text: string): Command | null {
  const several = new RegExp(
    `^assign\\s+(${OWNER}(?:(?:\\s*,|\\s+and|\\s+or)+\\s+${OWNER})+)\\s+to\\s+(.+)$`,
    'is',
  ).exec(text);
  const gone = new RegExp(
    `^(?:remove|delete|drop|take|unassign)\\s+${OWNER}\\s+(?:from|off)\\s+(.+)$`,
    'is',
  ).exec(text);
  const cards = cardsIn(several?.[2] ?? gone?.[1] ?? '');
  if (cards === null) return null;
  const card = cardWords(cards);
  const named = several?.[1]!.match(new RegExp(OWNER, 'gi')) ?? [];
  return {
    type: 'choose',
    question:
      several === null
        ? 'Nothing is changed yet: I can only leave the card without an owner. Is that it?'
        : 'Nothing is changed yet: a card has one owner. Who is it?',
    options: several === null ? [`Unassign ${card}`] : named.map((one) => `Assign ${card} to ${one}`),
  };
}

/**
 * Returns the details that a value may mean if a text names no detail: "Ben", "Friday", "5 days",
 * "Marketing".
 */
export function detailsMeant(value: string): readonly Details[] {
  return detailNames.flatMap((name) => {
    const isBareNumber = name === 'estimate' && /^\d+$/.test(value);
    const possible = valuesOf(name, value);
    return possible.isKnown && !isBareNumber ? possible.values : [];
  });
}

/** A quoted title may contain any words, but no words may be beside it. */
function cardsIn(text: string): Cards | null {
  const cards = readCards(text);
  return cards?.by === 'title' && quoted(text).length === 0 ? null : cards;
}

export function cardWords(cards: Cards): string {
  if (cards.by === 'title') return cards.titles.map((title) => `“${title}”`).join(' and ');
  if (cards.by === 'words') return cards.words;
  if (cards.by === 'selection') return 'it';
  return `${cards.count === 'all' ? 'all' : `the ${cards.from === 'end' ? 'last' : 'first'} ${cards.count}`} cards in ${cards.column}`;
}

/** Returns the words for a day; the date itself if its words would mean the same day of another year. */
function spokenDay(day: string): string {
  const words = dayWords(day)?.replace(/^\w+ /, '');
  return words !== undefined && readDays(words)[0] === day ? words : day;
}

/** Returns the message that sets a detail. */
export function detailCommand(card: string, details: Details): string {
  const { owner, due, label, estimate, clear } = details;
  if (owner !== undefined) return `Assign ${card} to ${owner}`;
  if (due !== undefined) return `Make ${card} due on ${spokenDay(due)}`;
  if (label !== undefined) return `Label ${card} as ${label}`;
  if (estimate !== undefined) return `Estimate ${card} at ${estimateWords(estimate)}`;
  return `Remove the ${clear?.[0] === 'due' ? 'due date' : clear?.[0]} of ${card}`;
}

function detailOf(name: DetailName, cards: Cards, value: string, words: string): Command {
  if (/^(?:nobody|no ?one|none|nothing)$/i.test(value))
    return { type: 'detail', cards, details: { clear: [name] } };
  const possible = valuesOf(name, value);
  if (possible.isKnown && possible.values.length === 1)
    return { type: 'detail', cards, details: possible.values[0]! };
  return {
    type: 'choose',
    question: possible.question,
    options: possible.values.slice(0, 3).map((details) => detailCommand(words, details)),
  };
}

interface Possible {
  readonly isKnown: boolean;
  /** The values that the text may mean, or else all possible values. */
  readonly values: readonly Details[];
  readonly question: string;
}

function valuesOf(name: DetailName, value: string): Possible {
  switch (name) {
    case 'owner':
      return oneOf(
        value,
        owners,
        (owner) => ({ owner }),
        `Nothing is changed: the board knows no owner “${value}”. Who is it?`,
      );
    case 'label':
      return oneOf(
        value,
        labels,
        (label) => ({ label }),
        `Nothing is changed: there is no label “${value}”. There are ${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}.`,
      );
    case 'due': {
      const days = readDays(value);
      const question =
        days.length > 1
          ? `Nothing is changed yet: “${value}” may be either day. Which one?`
          : `Nothing is changed: I read no day in “${value}”. I know “today”, “Friday”, “4 Dec” and “2026-12-04”.`;
      const usual = [1, 7].map((away) => dayOf(new Date(), away));
      return {
        isKnown: days.length > 0,
        values: (days.length > 0 ? days : usual).map((due) => ({ due })),
        question,
      };
    }
    case 'estimate': {
      const estimate = daysIn(value);
      const isFit = estimate >= 0.5 && estimate <= 30;
      return {
        isKnown: isFit,
        values: isFit ? [{ estimate }] : [1, 3, 5].map((one) => ({ estimate: one })),
        question: `Nothing is changed: an estimate is half a day to 30 days, and “${value}” is none.`,
      };
    }
  }
}

/** Reads "3", "0.5 d", "half a day", "two days"; NaN for anything else. */
function daysIn(text: string): number {
  if (/^half a day$/i.test(text)) return 0.5;
  const [, digits, word] =
    /^(?:(\d+(?:[.,]\d+)?)|(an?|one|two|three|four|five|six|seven|eight))(?:\s*d(?:ays?)?)?$/i.exec(text) ??
    [];
  if (word !== undefined) return /^an?$/i.test(word) ? 1 : numberIn(word);
  return Number(digits?.replace(',', '.'));
}

function oneOf<T extends string>(
  value: string,
  known: readonly T[],
  details: (value: T) => Details,
  question: string,
): Possible {
  const found = known.find((one) => one.toLowerCase() === value.toLowerCase());
  return { isKnown: found !== undefined, values: (found ? [found] : known).map(details), question };
}
