import { listedCards, tellOutcomes } from './tell-outcomes.js';
import { call, type Plan } from './step.js';

/**
 * Gets the board ready for its readers: deletes what is long done, starts what comes next, and publishes on the next Monday. The deletions and the
 * publication are questions of one list.
 *
 * @param now the day on which it was asked
 */
export function* readyPlan(now: Date): Plan {
  const looked = yield {
    thinking: 'A reader should see what is open, so what is long done goes first.',
    text: 'Let me look first.',
    calls: [call('list_cards', {})],
  };
  const cards = listedCards(looked);
  const inColumn = (column: string) =>
    cards.filter((card) => card.column === column).map(({ title }) => title);
  const [next] = inColumn('Todo');
  const outcomes = yield {
    text: 'Two cards in Done can go, and then it can go out. Publishing costs a little and cannot be undone.',
    calls: [
      ...inColumn('Done')
        .slice(0, 2)
        .map((card) => call('delete_card', { card })),
      ...(next === undefined ? [] : [call('move_card', { card: next, column: 'Doing' })]),
      call('publish_board', {
        audience: 'team',
        on: nextMonday(now),
        mail: { send: true, note: 'The board is ready.' },
      }),
    ],
  };
  return tellOutcomes(outcomes);
}

/** The Monday after a day, as YYYY-MM-DD. */
function nextMonday(day: Date): string {
  const monday = new Date(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()));
  monday.setUTCDate(monday.getUTCDate() + ((8 - monday.getUTCDay()) % 7 || 7));
  return monday.toISOString().slice(0, 10);
}
