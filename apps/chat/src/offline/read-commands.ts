import type { Command } from './command.js';
import { callsCards } from './command-plans.js';
import { cardTitles } from './invent-titles.js';
import { isNoOrder } from './no-order.js';
import { readBackground } from './read-background.js';
import { readCommand } from './read-command.js';
import { readMemory } from './read-memory.js';
import { splitWishes } from './split-wishes.js';
import { stripped } from './stripped.js';

/**
 * Reads the commands in a message. There are several if they are joined by "then", "and", a comma, a
 * semicolon or the end of a sentence.
 */
export function readCommands(text: string): readonly Command[] {
  const whole = readBackground(text) ?? readMemory(text);
  if (whole !== null) return [whole];
  const wishes = splitWishes(text, (part) => {
    const command = readCommand(part);
    return isWish(command) ? command : null;
  });
  const read = wishes.map((part) => ({ part: stripped(part), command: readCommand(part) }));
  if (!read.some(({ command }) => isWish(command))) return [read[0]?.command ?? readCommand(text)];
  if (isNoOrder(text, read)) return [{ type: 'talk', about: 'unknown' }];
  const commands = read.map(({ part, command }): Command => {
    const isUnread = command.type === 'typed' || (command.type === 'talk' && command.about === 'unknown');
    return isUnread ? { type: 'unread', text: part } : command;
  });
  return publishedTogether(
    commands.reduce<readonly Command[]>(
      (known, command) => [...known, withReference(command, known.at(-1))],
      [],
    ),
  );
}

/** Joins "Get the board ready and publish it" into one command, so that all its questions are one list. */
function publishedTogether(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((command, index) => {
    const [before, after] = [commands[index - 1], commands[index + 1]];
    if (command.type === 'publish' && before?.type === 'ready') return [];
    return command.type === 'ready' && after?.type === 'publish'
      ? { ...command, audience: after.audience }
      : command;
  });
}

/** Returns whether the command asks for something that the rules can do. */
function isWish({ type }: Command): boolean {
  return type !== 'talk' && type !== 'typed';
}

/** "It" after a command means the card of that command. */
function withReference(command: Command, before: Command | undefined): Command {
  if (!callsCards(command)) return command;
  const titles = before === undefined ? null : titlesAfter(before);
  if (command.cards.by !== 'selection' || !command.cards.isReference) return command;
  if (titles !== null) return { ...command, cards: { by: 'title', titles } };
  // The words of a title mean the same card again, even if its column has changed.
  const isThere = before?.type === 'move' || before?.type === 'detail';
  return isThere && before.cards.by === 'words'
    ? { ...command, cards: { ...before.cards, column: null } }
    : command;
}

/** Returns the titles of the command's cards after it; null if the text does not tell. */
function titlesAfter(command: Command): readonly string[] | null {
  switch (command.type) {
    case 'add':
      return command.titles;
    case 'invent':
      return cardTitles(command.count, command.topic);
    case 'rename':
      return [command.title];
    case 'move':
    case 'detail':
      return command.cards.by === 'title' ? command.cards.titles : null;
    default:
      return null;
  }
}
