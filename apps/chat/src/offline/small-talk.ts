import type { Command } from './command.js';

/** Said once in a conversation, in these words. */
export const NO_MODEL = 'No model here: a set of rules in this page answers.';

const examples = [
  '• Plan the launch week',
  '• Plan a product launch',
  '• Add 3 cards about onboarding to Todo',
  '• Move “Decide on pricing” to Doing',
  '• Rename “Choose a name” to “Keep the name”',
  '• Assign “Draw the logo” to Ana, or make it due on Friday',
  '• Label “Choose a name” as Design, or estimate it at 3 days',
  '• Delete three cards from Done',
  '• Tidy up Done, or Clear Done',
  '• Show the board as a table',
  '• Publish the board',
  '• Get the board ready and publish it',
  '• Plan the release, or prepare it at once',
  '• Plan the month',
  '• Remember that we release on Tuesdays',
  '• In the background, check the board for cards without an owner',
  '• Why?',
].join('\n');

const typed =
  'The page itself understands “undo that”, “redo”, “not those” and “without …”, as long as nothing runs.';

/** The answer to a command of the page that arrived as a message. */
export const answerToTyped = `I cannot take back or repeat a turn, and did nothing: that is up to you and to the page. ${typed}`;

/** Returns the answer to a part of a message that was not understood, beside the answers to the rest. */
export function answerToUnread(text: string): string {
  return `I did not understand “${text}”, and left that out. Say “help” to see the rules I have.`;
}

/** The state of the conversation before an answer. */
interface Before {
  /** Whether the answer begins with something else that the model knows. */
  readonly knows: boolean;
  /** The earlier answers. */
  readonly said: string;
}

/** Returns the answer of the model when there is nothing to do. */
export function answerFor(
  about: Extract<Command, { type: 'talk' }>['about'],
  { knows, said }: Before,
): string {
  switch (about) {
    case 'hello':
      return `Hello. ${NO_MODEL} It needs no key and no network. Ask for a change of the board.`;
    case 'thanks':
      return 'You are welcome. Undo takes back whatever I did last.';
    case 'help':
      return `${NO_MODEL} It works without a key and without a network, and understands commands like these:\n\n${examples}\n\n${typed} For a real model, choose another one at the top.`;
    case 'unknown':
      if (said.includes(NO_MODEL))
        return 'I have no rule for that either, and changed nothing. The nearest commands are below; “help” shows all.';
      return `${knows ? 'Apart from that I' : 'I'} did not understand you, and changed nothing. ${NO_MODEL} Choose one of the commands below, or say “help” to see all.`;
  }
}
