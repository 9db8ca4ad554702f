import { readCommands } from './read-commands.js';

/** What the user wants of the notes. */
export interface NotesWishes {
  readonly isShort: boolean;
  readonly isForCustomers: boolean;
}

const SHORT = /\b(?:short(?:er)?|brief(?:er|ly)?|concise|less|fewer)\b/i;
const CUSTOMERS = /\b(?:customers?|users?|clients?|buyers?)\b/i;

/** The answer to a message that is neither a command nor a wish. */
export const unknownWish = 'I know two wishes about notes, shorter and for customers, and changed nothing.';

/** Returns whether a message to the agent that writes is about its text, and is no command for the board. */
export function isAboutNotes(message: string): boolean {
  return readCommands(message).every((command) => command.type === 'talk' && command.about === 'unknown');
}

export function isWish(message: string): boolean {
  return SHORT.test(message) || CUSTOMERS.test(message);
}

/** Reads the wishes of all messages together. */
export function readWishes(messages: readonly string[]): NotesWishes {
  const wishes = messages.filter(isAboutNotes);
  return {
    isShort: wishes.some((message) => SHORT.test(message)),
    isForCustomers: wishes.some((message) => CUSTOMERS.test(message)),
  };
}

/** Writes the notes of a release. */
export function writeNotes(release: string, { isShort, isForCustomers }: NotesWishes): string {
  const audience = isForCustomers ? customers : team;
  const lines = isShort ? audience.short : audience.long.map((line) => `- ${line}`).join('\n');
  return `**Release ${release}**\n\n${lines}`;
}

const team = {
  long: [
    'The board opens twice as fast, because it loads the cards of a column only when the column is in sight.',
    'A card may have an estimate in days, and a column shows the sum of the estimates of its cards.',
    'Undo reaches back to the first change of the day, also after the page was closed and opened again.',
  ],
  short: 'Faster to open, estimates on cards, and an Undo that survives a reload.',
};

const customers = {
  long: [
    'Your board is there in half the time, however many cards you have.',
    'You can say how many days a card takes, and see at once what a column adds up to.',
    'You can take back everything since this morning, even if you closed the page.',
  ],
  short: 'Your board opens in half the time, and you can take back the whole day.',
};
