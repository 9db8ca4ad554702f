import fc from 'fast-check';
import {
  defineGuard,
  stagedDiscovery,
  type Decision,
  type ExtendableLimit,
  type ExtensionDecision,
  type Limits,
  type LocalAgentSession,
  type SendOptions,
  type ToolCall,
} from '@banister/session';
import { callInside, callTools, fail, finishWith, say, settle } from '@banister/testing';
import { actionsAtOperations, actionsAtTheEnd, give, type RandomAction } from './random-actions.js';
import type { Scenario, TurnScript } from './scenario.js';

/** The tools of the board that lives call. */
export const tools = [
  'add',
  'side',
  'slot',
  'ensure',
  'publish',
  'half',
  'both',
  'fragile',
  'paint',
  'mail',
  'last',
  'list',
  'broken',
  'slow',
  'late',
  'latePaint',
];
/** The last answer of a turn. */
export const last = say(['Do', 'ne.'], { thinking: 'Hm.', usage: { inputTokens: 10, outputTokens: 5 } });

const activates = callTools({ tool: 'banister.use_domain', args: { ids: ['board'] } });

/** How a round calls its tools. */
export type RoundForm = 'batch' | 'inside' | 'after a failure';

export const forms = fc.constantFrom<RoundForm[]>('batch', 'batch', 'inside', 'after a failure');

/** The names of the tools that a round calls, and its form. */
interface RandomRound {
  readonly names: readonly string[];
  readonly form: RoundForm;
}

const rounds: fc.Arbitrary<readonly RandomRound[]> = fc.array(
  fc.record({
    names: fc.array(fc.constantFrom(...tools), { minLength: 1, maxLength: 3 }),
    form: forms,
  }),
  { maxLength: 3 },
);

interface RandomLife {
  readonly turns: readonly (readonly RandomRound[])[];
  readonly asked: readonly string[];
  readonly declined: readonly string[];
  readonly edits: boolean;
  readonly handler: boolean;
  readonly unversioned: boolean;
  readonly onTrip: Limits['onTrip'];
  readonly extensions: readonly ('extend' | 'one more' | 'end' | 'leave')[];
  readonly maxToolCalls: number;
  readonly discovery: boolean;
  readonly meanwhile: readonly RandomAction[];
  readonly afterwards: readonly RandomAction[];
}

const lives: fc.Arbitrary<RandomLife> = fc.record({
  turns: fc.array(rounds, { minLength: 1, maxLength: 2 }),
  asked: fc.subarray(tools),
  declined: fc.subarray(tools, { maxLength: 3 }),
  edits: fc.boolean(),
  handler: fc.boolean(),
  unversioned: fc.boolean(),
  onTrip: fc.constantFrom('fail' as const, 'stop' as const, 'ask' as const),
  extensions: fc.array(
    fc.constantFrom(
      'extend' as const,
      'extend' as const,
      'one more' as const,
      'end' as const,
      'leave' as const,
    ),
    { minLength: 3, maxLength: 3 },
  ),
  maxToolCalls: fc.constantFrom(12, 12, 2),
  discovery: fc.boolean(),
  meanwhile: actionsAtOperations,
  afterwards: actionsAtTheEnd,
});

/** Lives of a session: turns of random calls, questions, limits, and commands of the user. */
export const randomScenarios: fc.Arbitrary<Scenario> = lives.map((life) => scenarioOf(life));

/** The decision of the user on each effect under review, by its place. */
export type Review = readonly ('accept' | 'reject' | 'leave')[];

export const reviews: fc.Arbitrary<Review> = fc.array(
  fc.constantFrom('accept' as const, 'reject' as const, 'leave' as const),
  { minLength: 9, maxLength: 9 },
);

/** The same with turns that the user reviews, some cards on paths of their own. */
export const reviewedScenarios: fc.Arbitrary<Scenario> = fc
  .record({
    life: lives,
    review: reviews,
    apart: fc.boolean(),
  })
  .map(({ life, review, apart }) => ({
    ...scenarioOf(life, { commit: 'review' }),
    review: (session) => decideInReview(session, review),
    ...(apart ? { paths: (title: string) => [title] } : {}),
  }));

/** Decides about the effects under review. */
export async function decideInReview(session: LocalAgentSession, review: Review): Promise<void> {
  const { effects = [] } = session.pendingReview.value ?? {};
  for (const [index, { toolCallId }] of effects.entries()) {
    const decision = review[index % review.length]!;
    if (decision !== 'leave') await session[decision]([toolCallId]);
  }
}

function scenarioOf(life: RandomLife, options: SendOptions = {}): Scenario {
  const { asked, declined, edits, handler, onTrip, maxToolCalls, discovery, meanwhile, afterwards } = life;
  const turns = Object.fromEntries(
    life.turns.map((turn, index) => [`Turn ${index}`, scriptOf(turn, index, discovery)]),
  );
  const decide = ({ tool, arguments: args }: ToolCall): Decision => {
    const name = tool.slice('board.'.length);
    if (declined.includes(name)) return { approve: false };
    return edits && name === 'add'
      ? { approve: true, arguments: { title: `Edited ${String(args.title)}` } }
      : { approve: true };
  };
  const guard = defineGuard('ask', ({ tool }) =>
    asked.includes(tool.slice('board.'.length)) ? { confirm: 'Really?' } : 'allow',
  );
  return {
    name: 'random',
    unversioned: life.unversioned,
    turns,
    unscripted: last,
    decide,
    extend: ({ limit }, nth) => answerTo(limit, life.extensions[nth % life.extensions.length]!),
    options: {
      guards: [guard],
      limits: { onTrip, maxToolCalls },
      discovery: discovery ? stagedDiscovery({ always: true }) : null,
      ...(handler ? { confirm: async ({ call }) => decide(call) } : {}),
    },
    run: async ({ session, app, provider }) => {
      const texts = Object.keys(turns);
      const actedOn = { texts, board: app.domain(life.unversioned), app, provider };
      let seen = 0;
      session.operations$.subscribe(() => {
        const now = meanwhile.filter(({ at }) => at === seen);
        seen++;
        // Not inside the delivery, which would come before that of the operations of the command.
        for (const action of now) queueMicrotask(() => void give(session, actedOn, action));
      });
      for (const text of texts) await session.send(text, options).catch(() => {});
      for (const action of afterwards) await give(session, actedOn, action);
      await settle();
    },
  };
}

function answerTo(
  limit: ExtendableLimit,
  answer: RandomLife['extensions'][number],
): ExtensionDecision | null {
  if (answer === 'leave') return null;
  if (answer === 'end') return { end: true };
  return { extend: answer === 'extend' ? {} : { [limit]: 1 } };
}

function scriptOf(turn: readonly RandomRound[], index: number, discovery: boolean): TurnScript {
  const script = turn.map(({ names, form }, round) => {
    const calls = names.map((name, position) => callOf(name, `${index}${round}${position}`));
    if (form === 'inside')
      return finishWith('stop', 'I act. ', ...calls.map((call) => callInside(call)), 'Acted.');
    const answer = callTools('I act. ', ...calls);
    return form === 'batch' ? answer : [fail('network'), answer];
  });
  // A call that was interrupted inside an answer leads to a further round, and so does a message that steers.
  const first = discovery ? [activates] : [];
  return [...first, ...script, ...Array.from({ length: 7 }, () => last)];
}

function callOf(name: string, title: string) {
  const args = name === 'both' ? { title, second: `${title}'` } : { title };
  return { tool: `board.${name}`, args: name === 'list' || name === 'broken' ? {} : args };
}
