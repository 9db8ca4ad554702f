import { tellOutcomes } from './tell-outcomes.js';
import { call, type Outcome, type Plan } from './step.js';

const weeks: readonly (readonly string[])[] = [
  ['Choose the date', 'List what must be ready', 'Ask three customers', 'Draft the announcement'],
  ['Fix what customers found', 'Record the demo', 'Check the price page', 'Invite the press'],
  ['Freeze the texts', 'Rehearse the day', 'Brief the support team', 'Load test the sign-up'],
  ['Send the announcement', 'Answer the first mails', 'Watch the numbers', 'Write down what was learned'],
];

/** Plans a month week by week. It needs more steps than a turn may take without asking. */
export function* monthPlan(): Plan {
  const outcomes: Outcome[] = [];
  for (const [index, titles] of weeks.entries()) {
    outcomes.push(
      ...(yield {
        text: index === 0 ? 'Four weeks, four cards each.' : `Now week ${index + 1}.`,
        calls: titles.map((title) => call('add_card', { column: 'Todo', title })),
      }),
    );
  }
  return `${tellOutcomes(outcomes)} All of it is one turn: Undo takes it back as one.`;
}
