import { listedCards } from './tell-outcomes.js';
import { call, type Outcome, type Plan } from './step.js';

const needed = ['Write the announcement', 'Walk through the checklist', 'Watch the dashboards on the day'];

/** Plans a launch in steps: lists the cards, adds missing cards, moves the first card, and sums up. */
export function* launchPlan(goal: string): Plan {
  const looked = yield {
    thinking: `To plan ${goal} I should know what is on the board already. Reading is free, so I look at two columns at once.`,
    text: `Let me see what is there before I plan ${goal}.`,
    calls: [call('list_cards', { column: 'Todo' }), call('list_cards', { column: 'Doing' })],
  };
  const there = new Map(listedCards(looked).map((card) => [card.title, card.column]));
  const missing = needed.filter((title) => !there.has(title));

  const added =
    missing.length === 0
      ? []
      : yield {
          thinking: `There ${there.size === 1 ? 'is one card' : `are ${there.size} cards`} in work. What I miss: ${missing.join(', ').toLowerCase()}.`,
          text: `${missing.length === 1 ? 'One thing is' : `${missing.length} things are`} missing.`,
          calls: missing.map((title) => call('add_card', { column: 'Todo', title })),
        };

  const first = needed[0]!;
  const started = there.get(first) === 'Doing';
  const steps = [
    ...(started ? [] : [call('move_card', { card: first, column: 'Doing' })]),
    ...(there.has('Decide on pricing')
      ? [call('edit_card', { card: 'Decide on pricing', title: 'Decide on pricing before the launch' })]
      : []),
  ];
  const arranged =
    steps.length === 0
      ? []
      : yield {
          thinking:
            'The announcement takes longest, so it comes first. Pricing has to be settled before it goes out.',
          text: 'The announcement takes longest, so I start with it.',
          calls: steps,
        };

  const done = [...added, ...arranged].filter(({ result }) => result.outcome === 'success');
  const failures = [...added, ...arranged].length - done.length;
  return summary(goal, done, failures);
}

function summary(goal: string, done: readonly Outcome[], failures: number): string {
  const count = (tool: string): number =>
    done.filter(({ call: { tool: used } }) => used === `board.${tool}`).length;
  const parts = [
    [count('add_card'), 'new card', 'new cards'],
    [count('move_card'), 'card started', 'cards started'],
    [count('edit_card'), 'card renamed', 'cards renamed'],
  ] as const;
  const told = parts
    .flatMap(([n, one, many]) => (n === 0 ? [] : [`${n} ${n === 1 ? one : many}`]))
    .join(', ');
  const rest =
    failures === 0
      ? ''
      : ` ${failures} ${failures === 1 ? 'step' : 'steps'} did not go through; the cards above say why.`;
  return told === ''
    ? `The board has all that ${goal} needs.${rest}`
    : `The plan for ${goal} stands: ${told}.${rest} All of it is one turn, so Undo takes it back as one.`;
}
