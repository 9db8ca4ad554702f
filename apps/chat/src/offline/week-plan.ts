import { listedCards, tellOutcomes } from './tell-outcomes.js';
import { nextMonday } from './next-monday.js';
import { call, type Plan } from './step.js';

/** From Monday to Friday. */
const days = [
  ['Freeze the texts on Monday', 'Mai'],
  ['Record the demo on Tuesday', 'Ben'],
  ['Brief the support team', 'Ana'],
  ['Send the announcement', 'Mai'],
  ['Watch the numbers on Friday', 'Ana'],
] as const;
const first = days[0][0];

/**
 * Plans the week of a launch. Adds the cards first and lists the board afterwards, so that the user sees
 * something at once.
 */
export function* weekPlan(now: Date): Plan {
  const added = yield {
    text: '',
    calls: days.map(([title, owner], day) =>
      call('add_card', { column: 'Todo', title, owner, due: nextMonday(now, day) }),
    ),
  };
  const looked = yield {
    thinking: 'What is in work already should be settled before the launch.',
    text: 'The week has its cards. Now I look at what is there.',
    calls: [call('list_cards', { column: 'Todo' })],
  };
  const there = new Set(listedCards(looked).map(({ title }) => title));
  const steps = [
    ...(there.has(first) ? [call('move_card', { card: first, column: 'Doing' })] : []),
    ...(there.has('Decide on pricing')
      ? [call('edit_card', { card: 'Decide on pricing', title: 'Decide on pricing before the launch' })]
      : []),
  ];
  const arranged =
    steps.length === 0
      ? []
      : yield { text: 'Monday begins now, and the price has to be known by then.', calls: steps };
  return `${tellOutcomes([...added, ...arranged])} All of it is one turn: Undo takes it back as one.`;
}
