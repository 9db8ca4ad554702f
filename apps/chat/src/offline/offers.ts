import type { Command } from './command.js';
import { readCommands } from './read-commands.js';
import { readTypedCommand } from './typed-command.js';
import { meantCards } from './meant-cards.js';
import { nearestCommands } from './nearest-commands.js';
import { callsCards, commandWords, inColumn } from './command-plans.js';
import type { ListedCard } from './tell-outcomes.js';

/**
 * Returns the messages to choose from if a message was not understood, or says too little. There are at most
 * three, except for the choices of a question. Empty if the message was understood.
 */
export function offersFor(text: string, cards: readonly ListedCard[]): readonly string[] {
  return [...new Set(readCommands(text).flatMap((command) => offersOf(command, text, cards)))].slice(0, 3);
}

function offersOf(command: Command, text: string, cards: readonly ListedCard[]): readonly string[] {
  const titles = cards.map(({ title }) => title);
  if (command.type === 'choose') return command.options;
  if (command.type === 'typed') return readTypedCommand(text) === null ? nearestCommands(text, titles) : [];
  if (command.type === 'unread') return nearestCommands(command.text, titles);
  if (command.type === 'talk')
    return ['unknown', 'help'].includes(command.about) ? nearestCommands(text, titles) : [];
  if (!callsCards(command) || command.cards.by !== 'words') return [];
  const meant = meantCards(command.cards.words, inColumn(cards, command.cards.column));
  if (meant.kind === 'found') return [];
  // A detail that is to be removed from a card is not the card.
  const isPart = command.type === 'delete' && /\b(?:from|off|of|in|on)\b/i.test(command.cards.words);
  const near = meant.kind === 'several' ? meant.titles : isPart ? [] : meant.nearest;
  return near.length > 0 ? near.map((title) => commandWords(command, title)) : nearestCommands(text, titles);
}
