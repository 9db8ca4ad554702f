import { listedCards, tellOutcomes } from './tell-outcomes.js';
import { nextMonday } from './next-monday.js';
import { call, type Plan } from './step.js';

/**
 * Gets the board ready for its readers: deletes old finished cards, and starts the next cards. If it is also
 * published, the publication is on the next Monday, and the questions about deletions and publication are one
 * list.
 *
 * @param now the day of the message
 */
export function* readyPlan(audience: 'team' | 'everyone' | null, now: Date): Plan {
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
    text:
      audience === null
        ? 'What is long done can go, and the next card can begin.'
        : 'What is long done can go, and then it can go out. Publishing costs a little and cannot be undone.',
    calls: [
      ...inColumn('Done')
        .slice(0, 2)
        .map((card) => call('delete_card', { card })),
      ...(next === undefined ? [] : [call('move_card', { card: next, column: 'Doing' })]),
      ...(audience === null
        ? []
        : [
            call('publish_board', {
              audience,
              on: nextMonday(now),
              mail: { send: true, note: 'The board is ready.' },
            }),
          ]),
    ],
  };
  return tellOutcomes(outcomes);
}
