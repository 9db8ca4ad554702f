import fc from 'fast-check';
import {
  confirmTools,
  defineGuard,
  defineTool,
  denyCapabilities,
  type Agent,
  type Decision,
  type Domain,
  type Limits,
  type Mode,
  type SendOptions,
  type ToolCall,
} from '@banister/session';
import {
  callInside,
  callTools,
  fail,
  finishWith,
  settle,
  type ScriptedAnswer,
  type ScriptedCall,
} from '@banister/testing';
import { killHistory } from './kill-history.js';
import { childActions, childActionsAtTheEnd, give, type RandomAction } from './random-actions.js';
import {
  decideInReview,
  forms,
  last,
  reviews,
  tools as boardTools,
  type Review,
  type RoundForm,
} from './random-scenarios.js';
import type { Scenario, TurnScript } from './scenario.js';

const tools = [...boardTools, 'add', 'heavy', 'lazy', 'glue', 'nail'];

/** A turn: the rounds of its model, and whether the model fails after them. */
interface RandomTurn {
  readonly agent: number;
  readonly thread: boolean;
  readonly rounds: readonly RandomRound[];
  readonly fails: 'auth' | 'overloaded' | null;
}

interface RandomRound {
  readonly names: readonly string[];
  /** The child turns of one further call of the round. */
  readonly runs: readonly RandomTurn[];
  readonly inTurn: boolean;
  readonly by: 'again' | 'once' | 'delegate';
  readonly form: RoundForm;
}

function turnsOf(levels: number): fc.Arbitrary<RandomTurn> {
  const runs =
    levels === 0
      ? fc.constant<readonly RandomTurn[]>([])
      : fc.array(turnsOf(levels - 1), { minLength: levels === 2 ? 1 : 0, maxLength: 3 });
  const round: fc.Arbitrary<RandomRound> = fc.record({
    names: fc.array(fc.constantFrom(...tools), { maxLength: 2 }),
    runs,
    inTurn: fc.boolean(),
    by: fc.constantFrom('again' as const, 'again' as const, 'once' as const, 'delegate' as const),
    form: forms,
  });
  return fc.record({
    agent: fc.nat(2),
    thread: fc.constantFrom(false, false, true),
    rounds: fc.array(round, { minLength: levels === 2 ? 1 : 0, maxLength: 2 }),
    fails: fc.constantFrom(null, null, null, 'auth' as const, 'overloaded' as const),
  });
}

interface RandomLife {
  readonly turns: readonly RandomTurn[];
  readonly asked: readonly string[];
  readonly declined: readonly string[];
  readonly remember: 'turn' | 'session' | undefined;
  /** Whether the session that goes on denies the tools that run agents. */
  readonly denies: boolean;
  readonly unversioned: boolean;
  readonly onTrip: Limits['onTrip'];
  readonly maxToolCalls: number;
  readonly ownCalls: number;
  readonly places: 'none' | 'apart' | 'same';
  readonly meanwhile: readonly RandomAction[];
  readonly afterwards: readonly RandomAction[];
  readonly review: Review | null;
  /** Whether the history of the app restores turns; null for the built-in history. */
  readonly restores: boolean | null;
}

const lives: fc.Arbitrary<RandomLife> = fc.record({
  turns: fc.array(turnsOf(2), { minLength: 1, maxLength: 2 }),
  asked: fc.subarray(tools),
  declined: fc.subarray(tools, { maxLength: 3 }),
  remember: fc.constantFrom(undefined, undefined, 'turn' as const, 'session' as const),
  denies: fc.constantFrom(false, false, false, false, true),
  unversioned: fc.boolean(),
  onTrip: fc.constantFrom('fail' as const, 'stop' as const, 'ask' as const),
  maxToolCalls: fc.constantFrom(60, 60, 60, 5),
  ownCalls: fc.constantFrom(20, 20, 1),
  places: fc.constantFrom('none' as const, 'apart' as const, 'same' as const),
  meanwhile: childActions,
  afterwards: childActionsAtTheEnd,
  review: fc.option(reviews, { freq: 3 }),
  restores: fc.constantFrom(null, null, null, true, false),
});

/** Lives of a session with agents: up to three child turns a call, two levels, and commands of the user. */
export const randomAgentScenarios: fc.Arbitrary<Scenario> = lives.map(scenarioOf);

const runs = {
  type: 'array',
  items: {
    type: 'object',
    properties: { agent: { type: 'string' }, task: { type: 'string' }, thread: { type: 'string' } },
    required: ['agent', 'task'],
  },
} as const;
const work = {
  type: 'object',
  properties: { runs, inTurn: { type: 'boolean' } },
  required: ['runs', 'inTurn'],
} as const;

/** Tools that run agents. `once` is not called again after an interruption. */
const team: Domain = {
  id: 'team',
  tools: (['again', 'once'] as const).map((name) =>
    defineTool({
      name,
      description: 'Lets agents work.',
      parameters: work,
      ...(name === 'again' ? { capabilities: ['readOnly'] } : { parallel: true }),
      execute: async ({ runs: wanted, inTurn }, { run }) => {
        const one = async ({ agent, task, thread }: (typeof wanted)[number]) => {
          try {
            return (await run(agent, task, { key: task, ...(thread === undefined ? {} : { thread }) }))
              .status;
          } catch (error) {
            return (error as { readonly code: string }).code;
          }
        };
        if (!inTurn) return (await Promise.all(wanted.map(one))).join();
        const ended: string[] = [];
        for (const each of wanted) ended.push(await one(each));
        return ended.join();
      },
    }),
  ),
};

function agentsWith(ownCalls: number): readonly Agent[] {
  return ['a', 'b', 'c'].map((id) => ({
    id,
    role: `You are ${id}.`,
    description: 'Adds cards.',
    tools: ['board', 'team'],
    ...(id === 'c' ? { limits: { maxToolCalls: ownCalls } } : {}),
  }));
}

const modes: readonly Mode[] = [
  { id: 'auto', title: 'Act alone', guards: [] },
  { id: 'ask', title: 'Ask first', guards: [confirmTools('board.add', 'board.paint', 'team.once')] },
  { id: 'plan', title: 'Plan only', guards: [denyCapabilities('mutating')] },
];

/** Denies the tools that run agents. */
const noRuns = defineGuard('no runs', ({ tool }) =>
  tool.startsWith('team.') || tool === 'banister.delegate' ? { deny: 'No agents.' } : 'allow',
);

function scenarioOf(life: RandomLife): Scenario {
  const { asked, declined, remember, onTrip, maxToolCalls, ownCalls, places, review, restores } = life;
  const { meanwhile, afterwards } = life;
  const turns: Record<string, TurnScript> = {};
  const resumed: Record<string, TurnScript> = {};
  life.turns.forEach((turn, index) => {
    addScripts(turns, turn, `t${index}`);
    addScripts(resumed, asResumed(turn), `t${index}`);
  });
  const texts = life.turns.map((_, index) => `t${index}`);
  const nameOf = (tool: string) => tool.slice('board.'.length);
  const decide = ({ tool }: ToolCall): Decision =>
    declined.includes(nameOf(tool)) ? { approve: false } : { approve: true, remember, scope: 'tool' };
  const options: SendOptions = review === null ? {} : { commit: 'review' };
  const guards = [
    defineGuard('ask', ({ tool }) => (asked.includes(nameOf(tool)) ? { confirm: 'Really?' } : 'allow')),
  ];
  const base = {
    agents: agentsWith(ownCalls),
    guards,
    modes,
    limits: { onTrip, maxToolCalls, maxDepth: 2 },
  };
  return {
    name: 'random agents',
    unversioned: life.unversioned,
    turns,
    resumed,
    unscripted: last,
    more: [team],
    decide,
    ...(places === 'none' ? {} : { paths: (title) => [places === 'same' ? 'place' : title] }),
    ...(review === null ? {} : { review: (session) => decideInReview(session, review) }),
    options: base,
    ...(restores === null ? {} : { history: (app) => killHistory(app, restores) }),
    ...(life.denies
      ? { resumedAs: { more: [team], options: { ...base, guards: [...guards, noRuns] } } }
      : {}),
    run: async ({ session, app, provider }) => {
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

/** Returns a turn whose model is not overloaded any more. */
function asResumed(turn: RandomTurn): RandomTurn {
  const rounds = turn.rounds.map((round) => ({ ...round, runs: round.runs.map(asResumed) }));
  return { ...turn, rounds, fails: turn.fails === 'overloaded' ? null : turn.fails };
}

/** Adds the script of a turn, and the scripts of its child turns, by their tasks. */
function addScripts(turns: Record<string, TurnScript>, turn: RandomTurn, task: string): void {
  const script = turn.rounds.map((round, number) => scriptOf(turns, round, `${task}.${number}`));
  const end = turn.fails === null ? last : fail(turn.fails);
  turns[task] = [...script, ...Array.from({ length: 7 }, () => end)];
}

function scriptOf(
  turns: Record<string, TurnScript>,
  { names, runs: below, inTurn, by, form }: RandomRound,
  place: string,
): ScriptedAnswer | readonly ScriptedAnswer[] {
  const calls = names.map((name, position) => callOf(name, `${place}${'xyz'[position]}`));
  const wanted = below.map((turn, position) => {
    const task = `${place}-${position}`;
    addScripts(turns, turn, task);
    return { agent: 'abc'[turn.agent]!, task, ...(turn.thread ? { thread: 'same' } : {}) };
  });
  if (by === 'delegate')
    calls.push(...wanted.map(({ agent, task }) => ({ tool: 'banister.delegate', args: { agent, task } })));
  else if (wanted.length > 0) calls.push({ tool: `team.${by}`, args: { runs: wanted, inTurn } });
  if (form === 'inside')
    return finishWith('stop', 'I act. ', ...calls.map((call) => callInside(call)), 'Acted.');
  const answer = callTools('I act. ', ...calls);
  if (calls.length === 0) return last;
  return form === 'batch' ? answer : [fail('network'), answer];
}

function callOf(name: string, title: string): ScriptedCall {
  const tool = `board.${name}`;
  if (name === 'list' || name === 'broken') return { tool, args: {} };
  return { tool, args: name === 'both' ? { title, second: `${title}'` } : { title } };
}
