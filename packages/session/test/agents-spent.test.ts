// What agents at several depths spend, at each operation.
import { beforeAll, expect, it } from 'vitest';
import { callTools, finishWith, gate, say, scriptedProvider, type AnswerSource } from '@banister/testing';
import {
  defineAgent,
  defineTool,
  type Agent,
  type Budget,
  type Domain,
  type TurnRecord,
} from '@banister/session';
import { addUsage, type UsageReport } from '@banister/provider';
import { agentsLoaded } from './agents-loaded.js';
import { fixture } from './fixture.js';

beforeAll(agentsLoaded);

const used = (inputTokens: number) => ({ type: 'usage', usage: { inputTokens, outputTokens: 1 } }) as const;

/** Runs its agents one after the other in the order of their names, each when the agent before it is at its gate. */
function team(waits: Readonly<Record<string, { readonly reached: Promise<void> }>>): Domain {
  const work = defineTool({
    name: 'work',
    description: 'Lets agents work.',
    parameters: { type: 'object', properties: { agents: { type: 'array', items: { type: 'string' } } } },
    capabilities: ['readOnly'],
    async execute({ agents = [] }, { run }) {
      const runs: Promise<unknown>[] = [];
      for (const id of agents as readonly string[]) {
        runs.push(run(id, 'Work.'));
        await waits[id]?.reached;
      }
      await Promise.all(runs);
    },
  });
  return { id: 'team', tools: [work] };
}

const agent = (id: string, answers: readonly AnswerSource[], maxTokens?: number): Agent =>
  defineAgent({ id, role: id, tools: ['team'], provider: scriptedProvider(answers), limits: { maxTokens } });

const work = (agents: readonly string[], inputTokens: number) =>
  callTools(used(inputTokens), { tool: 'team.work', args: { agents } });

/** Returns the usage of a turn with the usage of each of its own child turns that it knows of. */
function childrenSpent(turn: TurnRecord): UsageReport | null {
  const calls = turn.rounds.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
  return calls
    .flatMap(({ children = [] }) => children)
    .reduce<UsageReport | null>((sum, child) => addUsage(sum, child.usage), null);
}

const tokensOf = (report: UsageReport | null) => (report?.inputTokens ?? 0) + (report?.outputTokens ?? 0);

it('agents C45: at each operation a turn has spent what its agents have spent, at each depth, beside its own rounds', async () => {
  const [half, last] = [gate(), gate()];
  // The writer begins after the scout has reported usage, and while the answer of the scout still streams.
  const scout = agent('scout', [work([], 5), finishWith('stop', used(7), 'Half ', half, 'way.')], 500);
  const writer = agent('writer', [finishWith('stop', last, 'Written.', used(20))]);
  const lead = agent('lead', [work(['scout', 'writer'], 100), finishWith('stop', 'Led.', used(200))]);
  await using f = fixture([work(['lead'], 1_000), finishWith('stop', 'Done.', used(2_000))], {
    domains: [team({ scout: half })],
    agents: [scout, writer, lead],
    limits: { maxDepth: 2, maxTokens: 10_000, maxToolCalls: 9 },
  });
  const seen: string[] = [];
  const problems: string[] = [];
  f.session.operations$.subscribe(({ type, sequence }) => {
    const { liveTurn, lastUsageReport, budget } = f.session.state;
    if (liveTurn === null) return;
    const check = (name: string, turn: TurnRecord, whole: UsageReport | null, spent: Budget) => {
      const own = tokensOf(whole) - tokensOf(childrenSpent(turn));
      seen.push(`${name} ${own}`);
      if (spent.tokens.spent !== tokensOf(whole))
        problems.push(`${sequence} ${type}: ${name} spent ${spent.tokens.spent}`);
      const limit = name === 'root' ? 10_000 : name === 'scout' ? 500 : null;
      const left = limit === null ? null : limit - tokensOf(whole);
      if (spent.tokens.left !== left)
        problems.push(`${sequence} ${type}: ${name} has ${spent.tokens.left} left`);
      for (const { parts } of turn.rounds)
        for (const part of parts)
          if (part.type === 'tool-call')
            for (const child of part.children ?? []) check(child.agent, child, child.usage, child.budget);
    };
    check('root', liveTurn, lastUsageReport, budget);
  });
  const turn = f.session.send('Go');
  await half.reached;
  await last.reached;
  half.open();
  last.open();
  await turn;
  expect(problems).toEqual([]);
  // Own rounds alone: each round once.
  expect(new Set(seen)).toEqual(
    new Set([
      ...['root 0', 'root 1001', 'root 3002'],
      ...['lead 0', 'lead 101', 'lead 302'],
      ...['scout 0', 'scout 6', 'scout 14'],
      ...['writer 0', 'writer 21'],
    ]),
  );
  const { budget, lastUsageReport } = f.session.state;
  expect(lastUsageReport).toEqual({ inputTokens: 3_332, outputTokens: 7 });
  expect(budget.toolCalls).toEqual({ spent: 3, left: 6 });
  expect(budget.tokens).toEqual({ spent: 3_339, left: 6_661 });
});

it('agents C45: without a report of usage, the calls of an agent count, and its tokens are zero', async () => {
  await using f = fixture([callTools({ tool: 'team.work', args: { agents: ['a'] } }), say('Done.')], {
    domains: [team({})],
    agents: [agent('a', [callTools({ tool: 'team.work', args: { agents: [] } }), say('A.')])],
  });
  await f.session.send('Go');
  const { budget, lastUsageReport } = f.session.state;
  expect(lastUsageReport).toBeNull();
  expect(budget).toMatchObject({ toolCalls: { spent: 2 }, tokens: { spent: 0 }, cost: { spent: 0 } });
});
