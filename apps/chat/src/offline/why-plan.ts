import type { Command } from './command.js';
import { readCommands } from './read-commands.js';
import type { PastWork } from './read-ask.js';
import { tellOutcomes } from './tell-outcomes.js';
import { readException } from './typed-command.js';

/** Explains the last changes: the message, the rule that matched it, and the cards. */
export function whyAnswer(past: PastWork | null): string {
  if (past === null)
    return 'There is nothing to explain: I see no change of mine in this conversation. I change the board when a message fits one of my rules.';
  const { text, without } = readException(past.text);
  const rules = [
    ...new Set(
      readCommands(text)
        .filter(({ type }) => type !== 'unread')
        .map(ruleOf),
    ),
  ];
  const exception = without.length === 0 ? '' : ` “Without” leaves the named cards out.`;
  return [
    `You wrote “${past.text}”. ${rules.length === 1 ? 'That fits this rule' : 'That fits these rules'}: ${rules.join('; ')}.${exception}`,
    `So: ${tellOutcomes(past.outcomes)}`,
    'No thought was behind it, and no model: a rule fits, or it does not.',
  ].join('\n\n');
}

/** Returns the rule that read a command, and what it does. */
function ruleOf(command: Command): string {
  switch (command.type) {
    case 'add':
      return '“add …” adds a card for each title that the message names';
    case 'invent':
      return '“add” with a number of cards takes titles from a list that I have';
    case 'move':
      return '“move … to …” moves each card that the message names';
    case 'rename':
      return '“rename … to …” gives the named card the second title';
    case 'detail':
      return '“assign …”, “make … due …”, “label …” and “estimate …” set the owner, the due date, the label and the estimate of the named card';
    case 'delete':
      return '“delete …” deletes each card that the message names, after a question';
    case 'clear':
      return '“clear …” deletes all cards of a column, after a question';
    case 'tidy':
      return '“tidy up …” deletes the three cards that come first in a column, each after a question';
    case 'ready':
      return '“get the board ready” deletes two cards of Done, after questions, and starts the first of Todo; “and publish it” asks about that in the same list';
    case 'month':
      return '“plan the month” adds four cards for each of four weeks, and asks once its steps are used up';
    case 'publish':
      return '“publish …” publishes the board, after a question';
    case 'week':
      return '“plan the launch week” adds five cards that I know by heart, starts the first one, and renames the card about the price';
    case 'plan':
      return '“plan …” adds what is missing of three cards that I know by heart, starts the first one, and renames the card about the price';
    case 'carry-out':
      return '“plan the release” proposes five steps that I know by heart, and agents carry out the steps that you approve';
    case 'release':
      return '“prepare the release” lets three agents work at once: two add cards that they know by heart, and one asks before it publishes';
    case 'topic':
      return '“plan …” about anything but a launch adds three cards to begin with';
    case 'background':
      return '“in the background, …” starts a task, and an agent does the rest of the message';
    case 'remember':
      return '“remember that …” keeps the rest of the message, after a question';
    case 'forget':
      return '“forget that …” forgets the fact with these words, after a question';
    case 'recall':
    case 'lacking':
    case 'list':
    case 'choose':
    case 'table':
    case 'why':
    case 'typed':
    case 'unread':
    case 'talk':
      return 'a message that joined the turn asked for it';
  }
}
