import { listedCards, tellOutcomes } from './tell-outcomes.js';
import { call, type Plan } from './step.js';

/** The highest number of cards of one tidying, because each card is a question. */
const MOST = 3;

/** Deletes the oldest cards of a column, each after a question. */
export function* tidyPlan(column: string): Plan {
  const looked = yield { text: 'Let me look first.', calls: [call('list_cards', { column })] };
  const titles = listedCards(looked)
    .slice(0, MOST)
    .map(({ title }) => title);
  if (titles.length === 0) return `There is nothing in ${column}.`;
  const outcomes = yield {
    text: `The oldest in ${column} can go, I think. You decide about each.`,
    calls: titles.map((card) => call('delete_card', { card })),
  };
  return tellOutcomes(outcomes);
}
