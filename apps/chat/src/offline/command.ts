import { cardTitles } from './invent-titles.js';
import { splitWishes } from './split-wishes.js';
import { readTypedCommand } from './typed-command.js';

/** Which cards a command is about. */
export type Cards =
  | { readonly by: 'title'; readonly titles: readonly string[] }
  /** `isReference`: by a word for the last thing that was named, if there is one. */
  | { readonly by: 'selection'; readonly isReference?: true }
  | {
      readonly by: 'column';
      readonly column: string;
      readonly count: number | 'all';
      readonly from: 'start' | 'end';
    };

/** A command that the model understands. */
export type Command =
  | { readonly type: 'add'; readonly titles: readonly string[]; readonly column: string }
  | {
      readonly type: 'invent';
      readonly count: number;
      readonly topic: string | null;
      readonly column: string;
    }
  | { readonly type: 'move'; readonly cards: Cards; readonly column: string }
  | { readonly type: 'rename'; readonly cards: Cards; readonly title: string }
  | { readonly type: 'delete'; readonly cards: Cards }
  | { readonly type: 'clear'; readonly column: string }
  | { readonly type: 'list' }
  | { readonly type: 'table'; readonly column: string | null }
  | { readonly type: 'publish'; readonly audience: 'team' | 'everyone' }
  | { readonly type: 'plan'; readonly goal: string }
  | { readonly type: 'week' }
  | { readonly type: 'tidy'; readonly column: string }
  /** With an audience the board is published as well; null where nothing says so. */
  | { readonly type: 'ready'; readonly audience: 'team' | 'everyone' | null }
  | { readonly type: 'month' }
  /** Asks for the reason of the last changes. */
  | { readonly type: 'why' }
  /** A command of the page that reached the model after all: it waited in the queue, or joined a turn. */
  | { readonly type: 'typed' }
  /** A part of a message that no rule fits, while rules fit the rest of it. */
  | { readonly type: 'unread'; readonly text: string }
  | { readonly type: 'talk'; readonly about: 'hello' | 'help' | 'thanks' | 'unknown' };

const numbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const NUMBER = `\\d+|${numbers.slice(1).join('|')}|a few|some|several`;
const COLUMN = '(?:the )?(ideas|to ?do|doing|done)(?: column| list)?';

/** The commands in a message: several when they are joined by "then", "and", a comma, a semicolon or the end of a sentence. */
export function readCommands(text: string): readonly Command[] {
  const wishes = splitWishes(text, (part) => {
    const command = readCommand(part);
    return isWish(command) ? command : null;
  });
  const read = wishes.map((part) => ({ part: stripped(part), command: readCommand(part) }));
  if (!read.some(({ command }) => isWish(command)))
    return [read[0]?.command ?? { type: 'talk', about: 'unknown' }];
  const commands = read.map(({ part, command }): Command => {
    const isUnread = command.type === 'typed' || (command.type === 'talk' && command.about === 'unknown');
    return isUnread ? { type: 'unread', text: part } : command;
  });
  return publishedTogether(commands.map((command, index) => withReference(command, commands[index - 1])));
}

/** "Get the board ready and publish it" is one command: all that it asks about is one list of questions. */
function publishedTogether(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((command, index) => {
    const [before, after] = [commands[index - 1], commands[index + 1]];
    if (command.type === 'publish' && before?.type === 'ready') return [];
    return command.type === 'ready' && after?.type === 'publish'
      ? { ...command, audience: after.audience }
      : command;
  });
}

/** Whether it asks for something that the rules can do. */
function isWish({ type }: Command): boolean {
  return type !== 'talk' && type !== 'typed';
}

/** "It" after a command is what that command was about. */
function withReference(command: Command, before: Command | undefined): Command {
  if (command.type !== 'move' && command.type !== 'rename' && command.type !== 'delete') return command;
  const titles = before === undefined ? null : titlesAfter(before);
  if (command.cards.by !== 'selection' || !command.cards.isReference || titles === null) return command;
  return { ...command, cards: { by: 'title', titles } };
}

/** The titles of the cards that a command leaves behind it; null where the text does not tell them. */
function titlesAfter(command: Command): readonly string[] | null {
  switch (command.type) {
    case 'add':
      return command.titles;
    case 'invent':
      return cardTitles(command.count, command.topic);
    case 'rename':
      return [command.title];
    case 'move':
      return command.cards.by === 'title' ? command.cards.titles : null;
    default:
      return null;
  }
}

function stripped(clause: string): string {
  return clause
    .trim()
    .replace(/^(?:(?:please|now|ok|okay|also|and|could you|can you)[,\s]+)+/i, '')
    .replace(/(?:[,\s]+please)?[.!\s]*$/i, '');
}

function readCommand(clause: string): Command {
  const text = stripped(clause);
  for (const read of readers) {
    const command = read(text);
    if (command) return command;
  }
  return { type: 'talk', about: 'unknown' };
}

/** Tried in order; the first that understands the text wins. */
const readers: readonly ((text: string) => Command | null)[] = [
  (text) => (/^why\b|^explain (?:that|this|it|those|yourself)\b/i.test(text) ? { type: 'why' } : null),
  (text) => (readTypedCommand(text) === null ? null : { type: 'typed' }),
  readTable,
  (text) =>
    /^(?:get|make) (?:the board|it|everything) ready\b/i.test(text)
      ? { type: 'ready', audience: null }
      : null,
  readPlan,
  readTidy,
  readAdd,
  readClear,
  readDelete,
  readMove,
  readRename,
  (text) =>
    /^publish|^share\b/i.test(text)
      ? { type: 'publish', audience: /every|world|public/i.test(text) ? 'everyone' : 'team' }
      : null,
  (text) =>
    /^(?:list|show|what|which|how many|read|look)\b/i.test(text) &&
    /card|board|column|ideas|to ?do|doing|done|there/i.test(text)
      ? { type: 'list' }
      : null,
  (text) =>
    /^(?:hi|hello|hey|good (?:morning|evening|day))\b/i.test(text) ? { type: 'talk', about: 'hello' } : null,
  (text) =>
    /^(?:thanks|thank you|great|nice|perfect)\b/i.test(text) ? { type: 'talk', about: 'thanks' } : null,
  (text) =>
    /\bhelp\b|who are you|what can you|what are you/i.test(text) ? { type: 'talk', about: 'help' } : null,
];

function readTable(text: string): Command | null {
  const about = /^(.*)\bas a table\??$/i.exec(text)?.[1];
  if (about === undefined) return null;
  const column = new RegExp(`\\b${COLUMN}\\b`, 'i').exec(about)?.[1];
  return { type: 'table', column: column === undefined ? null : titleOf(column) };
}

function readPlan(text: string): Command | null {
  const goal = /^(?:plan|prepare|organi[sz]e)\s+(?:for\s+)?(.+)$/i.exec(text)?.[1];
  if (goal !== undefined && /^(?:the |our )?launch week$/i.test(goal)) return { type: 'week' };
  if (goal !== undefined && /^(?:the |our )?(?:whole |next )?month$/i.test(goal)) return { type: 'month' };
  return goal ? { type: 'plan', goal: `the ${goal.replace(/^(?:an?|the|our|my|your|this)\s+/i, '')}` } : null;
}

function readAdd(text: string): Command | null {
  const rest = /^(?:add|create|make|write)\s+(.+)$/is.exec(text)?.[1];
  if (!rest) return null;
  const { column, before } = splitColumn(rest, 'to|in|into|on');
  const quotes = quoted(before);
  if (quotes.length > 0) return { type: 'add', titles: quotes, column: column ?? 'Todo' };
  const many = new RegExp(
    `^(${NUMBER})\\s+(?:new\\s+|more\\s+)?(?:cards?|tasks?|ideas?)(?:\\s+(?:about|for|on)\\s+(.+))?$`,
    'i',
  ).exec(before);
  if (many) {
    return {
      type: 'invent',
      count: numberIn(many[1]!),
      topic: many[2]?.trim() ?? null,
      column: column ?? 'Todo',
    };
  }
  const topic = /^(?:a\s+|another\s+)?(?:new\s+)?(?:card|task)(?:\s+(?:about|for)\s+(.+))?$/i.exec(before);
  if (topic) return { type: 'invent', count: 1, topic: topic[1] ?? null, column: column ?? 'Todo' };
  const title = before.replace(
    /^(?:a\s+|the\s+)?(?:new\s+)?(?:card|task)\s*(?:called|named|titled|:)?\s*/i,
    '',
  );
  return title === '' ? null : { type: 'add', titles: [title], column: column ?? 'Todo' };
}

function readTidy(text: string): Command | null {
  const column = new RegExp(`^(?:tidy|clean)(?: up)?\\s+${COLUMN}$`, 'i').exec(text)?.[1];
  return column === undefined ? null : { type: 'tidy', column: titleOf(column) };
}

function readClear(text: string): Command | null {
  const found =
    new RegExp(`^(?:clear|empty)(?: out)?\\s+${COLUMN}$`, 'i').exec(text) ??
    new RegExp(
      `^(?:delete|remove)\\s+(?:all(?: the)? cards|everything|all)\\s+(?:in|from|of)\\s+${COLUMN}$`,
      'i',
    ).exec(text);
  return found ? { type: 'clear', column: titleOf(found[1]!) } : null;
}

function readDelete(text: string): Command | null {
  const rest = /^(?:delete|remove|drop|throw away)\s+(.+)$/is.exec(text)?.[1];
  return rest ? { type: 'delete', cards: cardsIn(rest) } : null;
}

function readMove(text: string): Command | null {
  const finish = /^(finish|complete|start|begin)\s+(.+)$/i.exec(text);
  if (finish) {
    const column = /^(?:finish|complete)$/i.test(finish[1]!) ? 'Done' : 'Doing';
    return { type: 'move', cards: cardsIn(finish[2]!), column };
  }
  const rest = /^(?:move|put|drag|bring)\s+(.+)$/is.exec(text)?.[1];
  if (!rest) return null;
  const { column, before } = splitColumn(rest, 'to|into|in');
  return column ? { type: 'move', cards: cardsIn(before), column } : null;
}

function readRename(text: string): Command | null {
  const rest = /^(?:rename|edit|change|retitle|call)\s+(.+)$/is.exec(text)?.[1];
  if (!rest) return null;
  const quotes = quoted(rest);
  if (quotes.length >= 2)
    return { type: 'rename', cards: { by: 'title', titles: [quotes[0]!] }, title: quotes[1]! };
  const split = /^(.+?)\s+(?:to|as|into)\s+(.+)$/is.exec(rest);
  if (!split) return null;
  return { type: 'rename', cards: cardsIn(split[1]!), title: quoted(split[2]!)[0] ?? split[2]!.trim() };
}

function cardsIn(text: string): Cards {
  const quotes = quoted(text);
  if (quotes.length > 0) return { by: 'title', titles: quotes };
  if (/^(?:it|them|that|those)$/i.test(text.trim())) return { by: 'selection', isReference: true };
  if (/^(?:this|this one|(?:this|the selected|the) card|the selection)$/i.test(text.trim()))
    return { by: 'selection' };
  const some = new RegExp(
    `^(?:the\\s+)?(first|last)?\\s*(${NUMBER}|all|every|everything)?\\s*(?:of\\s+)?(?:the\\s+)?(?:cards?|tasks?)?\\s*(?:in|from|of|out of)\\s+${COLUMN}$`,
    'i',
  ).exec(text.trim());
  if (some) {
    const [, from, count, column] = some;
    const all = count === undefined ? from === undefined : /all|every/i.test(count);
    return {
      by: 'column',
      column: titleOf(column!),
      count: all ? 'all' : count === undefined ? 1 : numberIn(count),
      from: from?.toLowerCase() === 'last' ? 'end' : 'start',
    };
  }
  return { by: 'title', titles: [text.trim().replace(/^the card\s+/i, '')] };
}

/** The last "to Done" of a text, and what stands before it. */
function splitColumn(text: string, prepositions: string): { column: string | null; before: string } {
  const found = new RegExp(
    `^(.*?)\\s*(?:^|\\s)(?:${prepositions})\\s+${COLUMN}\\s*(?::\\s*(.*))?$`,
    'is',
  ).exec(text.trim());
  if (!found) return { column: null, before: text.trim() };
  const [, before, column, after] = found;
  return { column: titleOf(column!), before: [before, after].filter(Boolean).join(' ').trim() };
}

function titleOf(column: string): string {
  const name = column.toLowerCase().replace(' ', '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function numberIn(text: string): number {
  const digits = /\d+/.exec(text)?.[0];
  const known = numbers.indexOf(text.toLowerCase());
  const number = digits ? Number(digits) : known > 0 ? known : 3;
  return Math.min(Math.max(number, 1), 8);
}

const QUOTED = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|'([^']+)'(?=[\s,.;:!]|$)/g;

function quoted(text: string): readonly string[] {
  return [...text.matchAll(QUOTED)].map((match) => (match[1] ?? match[2] ?? match[3] ?? match[4])!.trim());
}
