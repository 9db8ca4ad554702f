import { detailTitles, type DetailName } from '../board/card-details.js';
import { readTaskEnd, type ToldEnd } from '@banister/crew/tasks';
import { isJsonObject } from '@banister/provider';
import { helper } from '../tasks/helper-agent.js';
import { startTaskId } from '../tasks/task-tools.js';
import { counted } from '../session/counted.js';
import { call, type Outcome, type Plan } from './step.js';
import { tellOutcomes } from './tell-outcomes.js';

const LONGEST_TITLE = 100;

/** Starts a task, and leaves its work to the agent in the background. */
export function* backgroundPlan(task: string): Plan {
  const outcomes = yield {
    thinking: 'They do not want to wait for this.',
    text: '',
    calls: [{ tool: startTaskId, arguments: { agent: helper.id, title: titleOf(task), task } }],
  };
  const isStarted = outcomes.every(({ result }) => result.outcome === 'success');
  return isStarted ? 'It runs in the background. I tell you when it has ended.' : tellOutcomes(outcomes);
}

function titleOf(task: string): string {
  return task.length <= LONGEST_TITLE ? task : `${task.slice(0, LONGEST_TITLE - 1).trimEnd()}…`;
}

/** Tells the user how a task has ended; null for a message that does not say so. */
export function taskEndPlan(message: string): Plan | null {
  const told = readTaskEnd(message);
  return told === null ? null : answer(endWords(told));
}

function endWords({ status, text, problem = '', changed = [] }: ToldEnd): string {
  const stays = changed.length === 0 ? '' : ` Still there: ${counted(changed.length, 'change')}.`;
  switch (status) {
    case 'completed':
      return text ?? 'It is done.';
    case 'cancelled':
      return `You stopped it.${stays}`;
    case 'stopped':
      return `It reached a limit.${stays}`;
    default:
      return `It did not work. ${problem}${stays}`.trimEnd();
  }
}

/** Looks for cards that lack a detail. */
export function* lackingPlan(detail: DetailName): Plan {
  const outcomes = yield {
    thinking: 'I only have to read.',
    text: 'Let me look.',
    calls: [call('list_cards', {})],
  };
  const titles = lackingIn(outcomes, detail);
  const name = detailTitles[detail].toLowerCase();
  const article = /^[aeiou]/.test(name) ? 'an' : 'a';
  if (titles.length === 0) return `Every card has ${article} ${name}.`;
  const verb = titles.length === 1 ? 'has' : 'have';
  return `${counted(titles.length, 'card')} ${verb} no ${name}:\n\n${titles.map((title) => `• ${title}`).join('\n')}`;
}

function lackingIn(outcomes: readonly Outcome[], detail: DetailName): readonly string[] {
  return outcomes
    .flatMap(({ result }) => result.content)
    .flatMap((part) => (part.type === 'json' && Array.isArray(part.value) ? part.value : []))
    .flatMap((card) =>
      isJsonObject(card) && card[detail] === undefined && typeof card.title === 'string' ? [card.title] : [],
    );
}

// eslint-disable-next-line require-yield -- the message has the answer
function* answer(text: string): Plan {
  return text;
}
