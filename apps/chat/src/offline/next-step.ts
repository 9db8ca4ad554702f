import type { Command } from './command.js';
import { readCommands } from './read-commands.js';
import { carryOutPlan } from './carry-out-plan.js';
import { addPlan, cardsPlan, clearPlan, inventPlan, listPlan, publishPlan } from './command-plans.js';
import { backgroundPlan, lackingPlan, taskEndPlan } from './background-plans.js';
import { launchPlan } from './launch-plan.js';
import { leavingOut } from './leaving-out.js';
import { answerFromMemory, forgetPlan, recallPlan, rememberPlan } from './memory-plans.js';
import { monthPlan } from './month-plan.js';
import type { Ask } from './read-ask.js';
import type { Outcome, Plan, Step } from './step.js';
import { answerFor, answerToTyped, answerToUnread } from './small-talk.js';
import { steeredPlan } from './steered-plan.js';
import { tableOf, tablePlan } from './table-plan.js';
import { preparePlan, releaseAgentPlan, withoutNotesWishes, withoutResults } from './release-plan.js';
import { tidyPlan } from './tidy-plan.js';
import { topicPlan } from './topic-plan.js';
import { readyPlan } from './ready-plan.js';
import { readException } from './typed-command.js';
import { weekPlan } from './week-plan.js';
import { whyAnswer } from './why-plan.js';
import { wordOnFiles } from './word-on-files.js';
import { wordOnNote } from './word-on-note.js';

/** Returns the next answer of the model, given the results of the turn so far. */
export function nextStep(ask: Ask): Step {
  const plan = planFor(ask);
  let next = plan.next();
  for (const outcomes of ask.rounds) {
    // A compaction has removed rounds, so their outcomes are unknown.
    while (ask.isCompacted && !next.done && !isOf(next.value, outcomes)) next = plan.next([]);
    if (next.done) break;
    next = plan.next(outcomes);
  }
  return next.done ? { text: next.value, calls: [] } : next.value;
}

function isOf({ calls }: Step, outcomes: readonly Outcome[]): boolean {
  return outcomes.every((outcome) => calls.some(({ tool }) => tool === outcome.call.tool));
}

/** Returns the answer to a request that wants JSON: a table of the cards that the request names. */
export function tableStep({ text, cards }: Ask): Step {
  const [command] = readCommands(text);
  const table = tableOf(cards, command?.type === 'table' ? command.column : null);
  // With spaces between the values, so that the text streams one value at a time.
  return { text: JSON.stringify(table, null, 1), calls: [] };
}

function* planFor(ask: Ask): Plan {
  const answer = yield* steeredPlan(withoutNotesWishes(ask), (text) => messagePlan(text, ask));
  return [wordOnFiles(ask.files), answer, wordOnNote(ask.note)].filter((text) => text !== '').join('\n\n');
}

/** Plans everything that one message asks for, except cards that the message excludes. */
function messagePlan(message: string, ask: Ask): Plan {
  const own = taskEndPlan(message) ?? releaseAgentPlan(message, ask);
  if (own !== null) return own;
  const { text, without } = readException(withoutResults(message));
  const commands = readCommands(text).map((command) => withoutCards(command, without));
  const plan = commandsPlan(text, commands, ask);
  return without.length === 0 ? plan : leavingOut(plan, without);
}

/** Clearing a column is one call. If some cards are excluded, it becomes one call for each other card. */
function withoutCards(command: Command, without: readonly string[]): Command {
  if (command.type !== 'clear' || without.length === 0) return command;
  return { type: 'delete', cards: { by: 'column', column: command.column, count: 'all', from: 'start' } };
}

/** Runs the commands one after another. */
function* commandsPlan(text: string, commands: readonly Command[], ask: Ask): Plan {
  const answers: string[] = [];
  if (text === '' && ask.files.length > 0) return '';
  for (const command of commands) answers.push(yield* commandPlan(command, ask));
  return answers.filter((answer) => answer !== '').join('\n\n');
}

function commandPlan(command: Command, ask: Ask): Plan {
  switch (command.type) {
    case 'add':
      return addPlan(command.titles, command.column);
    case 'invent':
      return inventPlan(command);
    case 'move':
    case 'rename':
    case 'delete':
    case 'detail':
      return cardsPlan(command, ask.selected);
    case 'clear':
      return clearPlan(command.column);
    case 'list':
      return listPlan(command.isByDetail === true);
    case 'table':
      return tablePlan(command.column);
    case 'publish':
      return publishPlan(command.audience);
    case 'plan':
      return launchPlan(command.goal);
    case 'carry-out':
      return carryOutPlan(command.release, ask);
    case 'release':
      return preparePlan(command.release);
    case 'topic':
      return topicPlan(command.topic);
    case 'choose':
      return answerOnly(command.question);
    case 'week':
      return weekPlan(new Date());
    case 'tidy':
      return tidyPlan(command.column);
    case 'ready':
      return readyPlan(command.audience, new Date());
    case 'month':
      return monthPlan();
    case 'background':
      return backgroundPlan(command.task);
    case 'lacking':
      return lackingPlan(command.detail);
    case 'remember':
      return rememberPlan(command.text, ask);
    case 'forget':
      return forgetPlan(command.about, ask);
    case 'recall':
      return recallPlan(ask);
    case 'why':
      return answerOnly(whyAnswer(ask.past));
    case 'typed':
      return answerOnly(answerToTyped);
    case 'unread':
      return answerOnly(answerToUnread(command.text));
    case 'talk':
      return talkPlan(command, ask);
  }
}

/** Answers a question from what is remembered, and every other text from the rules for talk. */
function* talkPlan({ about }: Extract<Command, { type: 'talk' }>, ask: Ask): Plan {
  const known = about === 'unknown' ? yield* answerFromMemory(ask.text, ask) : null;
  return known ?? answerFor(about, { knows: ask.files.length > 0, said: ask.said });
}

// eslint-disable-next-line require-yield -- a plan may need no tools
function* answerOnly(text: string): Plan {
  return text;
}
