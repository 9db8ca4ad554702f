import { readCommands, type Command } from './command.js';
import { addPlan, cardsPlan, clearPlan, inventPlan, listPlan, publishPlan } from './command-plans.js';
import { launchPlan } from './launch-plan.js';
import type { Ask } from './read-ask.js';
import type { Plan, Step } from './step.js';
import { answerFor } from './small-talk.js';
import { steeredPlan } from './steered-plan.js';
import { wordOnNote } from './word-on-note.js';

/** The next answer of the model, given the results of the turn so far. */
export function nextStep(ask: Ask): Step {
  const plan = planFor(ask);
  let next = plan.next();
  for (const outcomes of ask.rounds) {
    if (next.done) break;
    next = plan.next(outcomes);
  }
  return next.done ? { text: next.value, calls: [] } : next.value;
}

function* planFor(ask: Ask): Plan {
  const answer = yield* steeredPlan(ask, (text) => messagePlan(text, ask));
  return [wordOnNote(ask.note), answer].filter((text) => text !== '').join('\n\n');
}

/** All that one message asks for, one command after the other. */
function* messagePlan(text: string, ask: Ask): Plan {
  const answers: string[] = [];
  for (const command of readCommands(text)) answers.push(yield* commandPlan(command, ask));
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
      return cardsPlan(command, ask.selected);
    case 'clear':
      return clearPlan(command.column);
    case 'list':
      return listPlan();
    case 'publish':
      return publishPlan(command.audience);
    case 'plan':
      return launchPlan(command.goal);
    case 'talk':
      return answerOnly(answerFor(command.about, ask.note !== null));
  }
}

// eslint-disable-next-line require-yield -- a plan may need no tools
function* answerOnly(text: string): Plan {
  return text;
}
