import type { Cards, Command } from './command.js';
import { OWNERS } from './owner-pattern.js';
import { besideQuotes, quoted } from './quoted.js';
import { readAdd } from './read-add.js';
import { readLacking } from './read-background.js';
import { cardWords, detailCommand, detailsMeant, readDetail } from './read-detail.js';
import { COLUMN, readCards, splitColumn, titleOf } from './read-cards.js';
import { stripped } from './stripped.js';
import { readTypedCommand } from './typed-command.js';

/** Reads one part of a message as one command. */
export function readCommand(clause: string): Command {
  const text = stripped(clause);
  const readers = text.endsWith('?') ? questions : [...questions, ...orders];
  return firstOf(readers, text) ?? firstOf(talk, clause.trim()) ?? { type: 'talk', about: 'unknown' };
}

type Reader = (text: string) => Command | null;

function firstOf(readers: readonly Reader[], text: string): Command | null {
  for (const read of readers) {
    const command = read(text);
    if (command) return command;
  }
  return null;
}

/** A word about a detail of cards: the name of the detail, or a value. */
const DETAIL = new RegExp(
  `\\b(?:owns?|owners?|owned|belongs?|(?:un)?assigned|due|overdue|late|deadlines?|labels?|labell?ed|tags?|tagged|estimates?|${OWNERS})\\b`,
  'i',
);
const BOARD = /\b(?:cards?|tasks?|board|columns?|to ?do|doing|done)\b/i;

/**
 * Questions, which change nothing. They are tried in order, and the first reader that understands the text
 * wins.
 */
const questions: readonly Reader[] = [
  (text) =>
    /^why(?: (?:did|have|do|are|were|that|this|those|these|not|on earth)\b.*)?\??$|^explain (?:that|this|it|those|yourself)\b|^what (?:did|have) you (?:just )?(?:do|done|changed?)\b/i.test(
      text,
    )
      ? { type: 'why' }
      : null,
  (text) => (readTypedCommand(text) === null ? null : { type: 'typed' }),
  readTable,
  readLacking,
  readList,
];

const orders: readonly Reader[] = [
  readAll,
  (text) =>
    /^(?:get|make) (?:the board|it|everything) ready(?: (?:for|to) (?:publish(?:ing)?|the team|everyone))?$/i.test(
      text,
    )
      ? { type: 'ready', audience: null }
      : null,
  readPlan,
  readTidy,
  readDetail,
  readClear,
  readAdd,
  readDelete,
  readMove,
  readRename,
  readPublish,
];

/**
 * These readers get the whole part, with its courtesies. A text that also mentions the board is more than a
 * greeting.
 */
const talk: readonly Reader[] = [
  (text) =>
    /^(?:hi|hello|hey|good (?:morning|evening|day))\b/i.test(text) && !BOARD.test(text)
      ? { type: 'talk', about: 'hello' }
      : null,
  (text) =>
    /^(?:(?:no )?thanks|thx|thank you|great|nice|perfect|cool|good (?:job|work)|well done|(?:ok|okay|yes|👍)(?:,? please)?[.!]*$)/i.test(
      text,
    ) &&
    !/["“„:]/.test(text) &&
    (!BOARD.test(text) || /^well done[.!\s]*$/i.test(text))
      ? { type: 'talk', about: 'thanks' }
      : null,
  (text) =>
    /\bhelp\b|who are you|what can (?:you|i)\b|what are you|^are you\b.*\b(?:ai|model|robot|bot|real|human)\b|^how (?:does|do) (?:this|it|you) work/i.test(
      text,
    )
      ? { type: 'talk', about: 'help' }
      : null,
  // If the page can read the whole message as an undo, the page undoes it.
  (text) =>
    /^(?:(?:oops|please|no|now)[,.!\s]+)*(?:(?:put|take|bring|move|give|go|step|get|roll)\b.*\bback\b|(?:undo|redo|revert|restore|recover)\b)/i.test(
      text,
    )
      ? { type: 'typed' }
      : null,
];

function readList(text: string): Command | null {
  const isByDetail = DETAIL.test(text);
  const isOfBoard =
    /^(?:list|show|what|which|how many|read|look|where)\b/i.test(text) &&
    (BOARD.test(text) || /\b(?:is there|there is)\b/i.test(text));
  const isOfDetail =
    isByDetail &&
    /^(?:list|show|who|whose|what(?:[’']s)?|which|when (?:is|are|was)|how many|(?:is|are) there)\b/i.test(
      text,
    );
  if (!isOfBoard && !isOfDetail) return null;
  return isByDetail ? { type: 'list', isByDetail } : { type: 'list' };
}

function readTable(text: string): Command | null {
  const about = /^(.*)\bas a table\??$/i.exec(text)?.[1];
  if (about === undefined || quoted(text).some((title) => /as a table$/i.test(title))) return null;
  const column = new RegExp(`\\b${COLUMN}\\b`, 'i').exec(about)?.[1];
  return { type: 'table', column: column === undefined ? null : titleOf(column) };
}

const EVERYTHING =
  '(?:it all|everything|all|all (?:of )?(?:it|them)|(?:all|every|each)(?: of)?(?: the| my| our)? (?:cards?|tasks?|columns?)|(?:the |my |our )?(?:whole |entire )?board|all (?:the )?columns)(?: (?:on|from|of) (?:the |my |our )?board)?';
const columns = ['Todo', 'Doing', 'Done'] as const;

/** A command for all cards is tried as a command for one column first. */
function readAll(text: string): Command | null {
  const [, verb] =
    new RegExp(
      `^(delete|remove|clear|empty|wipe|erase|tidy|clean)(?: up| out)? ${EVERYTHING}(?: up| out)?$`,
      'i',
    ).exec(text) ?? [];
  if (verb !== undefined) {
    const label = /^(?:tidy|clean)$/i.test(verb) ? 'Tidy up' : 'Clear';
    return {
      type: 'choose',
      question: 'I do that for one column at a time. Which one?',
      options: columns.map((column) => `${label} ${column}`),
    };
  }
  const [, finish, moved] =
    new RegExp(
      `^(?:(finish|complete|start|begin)|(?:move|put|drag|bring)) ${EVERYTHING}(?: (?:to|into|in) ${COLUMN})?$`,
      'i',
    ).exec(text) ?? [];
  const target = finish ? columnAfter(finish) : moved && titleOf(moved);
  if (!target) return null;
  return {
    type: 'choose',
    question: `From one column at a time. From which one to ${target}?`,
    options: columns
      .filter((column) => column !== target)
      .map((column) => `Move everything from ${column} to ${target}`),
  };
}

/** A release, with its number before or behind it. */
const RELEASE =
  /^(?:(?:the|our|my|an?|this) )?(?:next )?(?:v?(\d[\d.]*) )?release(?: (?:of )?(?:version |v)?(\d[\d.]*))?$/i;

function readPlan(text: string): Command | null {
  const [, verb, goal] =
    /^(?:(?:make|write) (?:me )?(?:an?|the) )?(plan|prepare|organi[sz]e)\s+(?:for\s+)?(.+)$/i.exec(text) ??
    [];
  if (verb === undefined || goal === undefined) return null;
  if (/^(?:the |our |my )?launch week$/i.test(goal)) return { type: 'week' };
  if (/^(?:the |our )?(?:whole |next )?month$/i.test(goal)) return { type: 'month' };
  const release = RELEASE.exec(goal);
  if (release !== null)
    return {
      type: /^prepare$/i.test(verb) ? 'release' : 'carry-out',
      release: release[1] ?? release[2] ?? '1.4',
    };
  const topic = `the ${goal.replace(/^(?:an?|the|our|my|this)\s+/i, '')}`;
  if (/^the (?:[\w-]+ ){0,2}(?:launch|release)$/i.test(topic)) return { type: 'plan', goal: topic };
  const isTopic =
    /^(?:an?|the|our|my|this)\s/i.test(goal) &&
    goal.split(/\s+/).length <= 8 &&
    !/\b(?:without|no|not|cards?|tasks?|columns?|board|to ?do|doing|done)\b|,/i.test(goal);
  return isTopic && /^plan$/i.test(verb) && quoted(goal).length === 0 ? { type: 'topic', topic } : null;
}

function readTidy(text: string): Command | null {
  const column = new RegExp(`^(?:tidy|clean)(?: up)?\\s+${COLUMN}$`, 'i').exec(text)?.[1];
  return column === undefined ? null : { type: 'tidy', column: titleOf(column) };
}

function readClear(text: string): Command | null {
  const found =
    new RegExp(`^(?:clear|empty)(?: out)?\\s+${COLUMN}$`, 'i').exec(text) ??
    new RegExp(`^make\\s+${COLUMN}\\s+empty$`, 'i').exec(text) ??
    new RegExp(
      `^(?:delete|remove)\\s+(?:all(?: the)? (?:cards|tasks)|everything|all)\\s+(?:in|from|of)\\s+${COLUMN}$`,
      'i',
    ).exec(text);
  return found ? { type: 'clear', column: titleOf(found[1]!) } : null;
}

function readDelete(text: string): Command | null {
  const [, verb, rest] = /^(delete|remove|drop|throw away)\s+(.+)$/is.exec(text) ?? [];
  const cards = rest === undefined ? null : readCards(rest);
  // "Drop it" does not ask for a deletion.
  if (cards === null || (/^drop$/i.test(verb!) && cards.by !== 'title' && cards.by !== 'column')) return null;
  return { type: 'delete', cards };
}

function readMove(text: string): Command | null {
  const [, finish, what] = /^(finish|complete|start|begin)\s+(.+)$/i.exec(text) ?? [];
  if (finish !== undefined) {
    const cards = readCards(what!);
    // One word is not enough, because many other things can be finished.
    const isVague = cards?.by === 'words' && !/\s/.test(withoutArticle(cards.words));
    return cards === null || isVague ? null : { type: 'move', cards, column: columnAfter(finish) };
  }
  const rest = /^(?:move|put|drag|bring)\s+(.+)$/is.exec(text)?.[1];
  if (!rest) return null;
  const { column, before } = splitColumn(rest, 'to|into|in');
  const cards = column === null ? null : readCards(before);
  return column === null || cards === null ? null : { type: 'move', cards, column };
}

function columnAfter(verb: string): string {
  return /^(?:finish|complete)$/i.test(verb) ? 'Done' : 'Doing';
}

function withoutArticle(words: string): string {
  return words.replace(/^the\s+/i, '');
}

function readRename(text: string): Command | null {
  const [, verb, rest] = /^(rename|edit|change|retitle|call)\s+(.+)$/is.exec(text) ?? [];
  if (verb === undefined || rest === undefined) return null;
  const quotes = quoted(rest);
  const between =
    quotes.length === 2 &&
    /^(?:the )?(?:card |task )?(["“„'])(.+?)["”“'] (?:to|as|into) ["“„'][^"”“']+["”“']$/is.test(rest);
  if (between) return renamed({ by: 'title', titles: [quotes[0]!] }, quotes[1]!);
  const split = /^(.+?)\s+(?:to|as|into)\s+(.+)$/is.exec(rest);
  if (!split) return null;
  const cards = readCards(split[1]!);
  // Many other things are changed or named, so the card must be named exactly.
  const isOther = cards?.by === 'words' && !/^re/i.test(verb) && !/\b(?:card|task)\b/i.test(cards.words);
  if (cards === null || isOther || isColumn(split[1]!)) return null;
  const [title, ...more] = quoted(split[2]!);
  if (title !== undefined && besideQuotes(split[2]!) !== '') return null;
  if (more.length > 0 || (title === undefined && /\band\b.*\b(?:to|as)\b/i.test(split[2]!))) return null;
  const wanted = title ?? split[2]!.trim();
  const command = renamed(cards, wanted);
  if (command === null || /^re/i.test(verb) || title !== undefined) return command;
  return askedChange(cards, wanted) ?? command;
}

/** "Change the logo card to Ben" may mean its owner or its title. */
function askedChange(cards: Cards, value: string): Command | null {
  const card = cardWords(cards);
  const meant = [
    ...(isColumn(value)
      ? [`Move ${card} to ${titleOf(value.replace(/^the /i, '').replace(/ (?:column|list)$/i, ''))}`]
      : []),
    ...detailsMeant(value).map((details) => detailCommand(card, details)),
  ];
  if (meant.length === 0) return null;
  return {
    type: 'choose',
    question: `Nothing is changed yet: “${value}” may be more than a title. Which one?`,
    options: [...meant, `Rename ${card} to “${value}”`],
  };
}

function renamed(cards: Cards, title: string): Command | null {
  const isOne =
    cards.by === 'selection' || cards.by === 'words' || (cards.by === 'title' && cards.titles.length === 1);
  const isTitle = title.length <= 120 && !/\n/.test(title);
  return isOne && isTitle ? { type: 'rename', cards, title } : null;
}

function isColumn(text: string): boolean {
  return new RegExp(`^${COLUMN}$`, 'i').test(text.trim());
}

function readPublish(text: string): Command | null {
  const found =
    /^(?:publish|publish (?:it|this|that)|(?:publish|share) (?:the |this |my |our )(?:whole )?board)(?: (?:for|to|with) (?:the |my |our )?(team|everyone|everybody|world|whole world|public|all))?$/i.exec(
      text,
    );
  if (found === null) return null;
  return { type: 'publish', audience: /every|world|public|all/i.test(found[1] ?? '') ? 'everyone' : 'team' };
}
