import type { Command } from './command.js';

const examples = [
  '• Plan a product launch',
  '• Add 3 cards about onboarding to Todo',
  '• Move “Decide on pricing” to Doing',
  '• Rename “Choose a name” to “Keep the name”',
  '• Delete three cards from Done',
  '• Clear Done',
  '• Publish the board',
].join('\n');

/** Answers of the model when there is nothing to do. */
export function answerFor(about: Extract<Command, { type: 'talk' }>['about'], knowsOfNote: boolean): string {
  switch (about) {
    case 'hello':
      return 'Hello. I am a small model made of rules; I run in this page, without a key and without a network. Ask me to change the board.';
    case 'thanks':
      return 'You are welcome. Undo turn takes back whatever I did last.';
    case 'help':
      return `I am a small model made of rules, not a language model: I run in this page, without a key and without a network. I understand commands like these:\n\n${examples}\n\nFor a real model, choose another provider at the top.`;
    case 'unknown':
      return knowsOfNote
        ? 'Apart from that I did not understand you: I match plain commands against rules. Say “help” to see them.'
        : `I did not understand that. I am a small model made of rules, and these I know:\n\n${examples}`;
  }
}
