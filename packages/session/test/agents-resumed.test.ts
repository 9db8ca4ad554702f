// Child turns of an earlier session.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  callTools,
  checkOrder,
  say,
  scriptedProvider,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import {
  createAgentSession,
  defineAgent,
  defineGuard,
  defineTool,
  type Agent,
  type Domain,
  type Guard,
  type Operation,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { agentsLoaded } from './agents-loaded.js';
import { opened, recordsOf } from './opened.js';

beforeAll(agentsLoaded);

/** A board whose cards survive its sessions. */
const cards: string[] = [];
const add = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  undo: { revert: ({ title }: { readonly title: string }) => void cards.splice(cards.indexOf(title), 1) },
  async execute({ title }, { undo }) {
    await undo({ description: `Added "${title}"`, data: { title } });
    cards.push(title);
  },
});
const work = defineTool({
  name: 'work',
  description: 'Lets an agent work.',
  parameters: { type: 'object', properties: { agent: { type: 'string' } }, required: ['agent'] },
  capabilities: ['readOnly'],
  execute: async ({ agent }, { run }) => (await run(agent, `Work, ${agent}.`)).text,
});
const domains: readonly Domain[] = [{ id: 'board', tools: [add, work] }];

const helper = (answers: readonly AnswerSource[]): Agent =>
  defineAgent({
    id: 'helper',
    description: 'Helps.',
    role: 'You help.',
    tools: ['board.add'],
    provider: scriptedProvider(answers),
  });

const addA = callTools({ tool: 'board.add', args: { title: 'A' } });

function open(
  answers: readonly AnswerSource[],
  agents: readonly Agent[],
  before: readonly Operation[] = [],
  given: readonly Domain[] = domains,
  guards: readonly Guard[] = [],
) {
  const operations: Operation[] = [];
  const restored = { restored: { snapshot: null, records: recordsOf([before]) } };
  const provider = scriptedProvider(answers);
  const session = createAgentSession({
    provider,
    domains: given,
    agents,
    guards,
    ...(before.length > 0 && restored),
  });
  session.operations$.subscribe((operation) => operations.push(operation));
  return { session, operations, provider };
}

describe('an agent that the next session lacks', () => {
  it.each([
    ['a tool', callTools({ tool: 'board.work', args: { agent: 'helper' } })],
    ['banister.delegate', callTools({ tool: 'banister.delegate', args: { agent: 'helper', task: 'Work.' } })],
  ])(
    'agents C54: its child turn of %s ends as interrupted, and its effects are taken back',
    async (_name, call) => {
      cards.length = 0;
      const first = open([call], [helper([callTools({ tool: 'board.add', args: { title: 'A' } }), stall()])]);
      first.session.send('Go').catch(() => {});
      for (let i = 0; i < 50 && cards.length === 0; i++) await settle();
      await settle();
      expect(cards).toEqual(['A']);
      await first.session.dispose({ turn: 'leave' });

      const next = open([say('Done.')], [], first.operations);
      await opened(next.session);
      expect(await next.session.resume()).toMatchObject({ status: 'completed' });
      expect(cards).toEqual([]);
      const [turn] = next.session.state.turns;
      expect(childrenOf(turn!)).toMatchObject([
        {
          status: 'failed',
          phase: 'idle',
          outcome: { error: { code: 'interrupted' }, report: { done: [{}] } },
        },
      ]);
      expect(turn!.effects).toEqual([]);
      expect(checkOrder([...first.operations, ...next.operations])).toEqual([]);
      await next.session.dispose();
    },
  );
});

it('agents C52: a call that is denied when it is to run again ends its open child turn, and its effects are taken back', async () => {
  cards.length = 0;
  const first = open(
    [callTools({ tool: 'board.work', args: { agent: 'helper' } })],
    [helper([addA, stall()])],
  );
  first.session.send('Go').catch(() => {});
  for (let i = 0; i < 50 && cards.length === 0; i++) await settle();
  await settle();
  expect(cards).toEqual(['A']);
  await first.session.dispose({ turn: 'leave' });

  const guard = defineGuard('no agents', ({ tool }) =>
    tool === 'board.work' ? { deny: 'No agents.' } : 'allow',
  );
  const next = open([say('Done.')], [helper([])], first.operations, domains, [guard]);
  await opened(next.session);
  expect(await next.session.resume()).toMatchObject({ status: 'completed' });
  expect(cards).toEqual([]);
  const [turn] = next.session.state.turns;
  expect(childrenOf(turn!)).toMatchObject([
    { status: 'failed', phase: 'idle', outcome: { error: { code: 'interrupted' }, report: { done: [{}] } } },
  ]);
  expect(turn!.effects).toEqual([]);
  expect(checkOrder([...first.operations, ...next.operations])).toEqual([]);
  await next.session.dispose();
});

describe('a workflow that goes another way after a reload', () => {
  const ways = { key: 'first' as string | null, task: 'Work.', limits: {} };
  const flow = defineTool({
    name: 'flow',
    description: 'Runs a workflow.',
    parameters: { type: 'object' },
    replay: 'safe',
    execute: async (_args, { run }) =>
      ways.key === null
        ? 'nothing'
        : (await run('helper', ways.task, { key: ways.key, limits: ways.limits })).text,
  });

  it.each([
    ['asks for no child turn', null, 'Work.', ['failed']],
    ['asks for one with another key', 'second', 'Work.', ['failed', 'completed']],
    ['asks for one with another input', 'first', 'Other work.', ['failed', 'completed']],
  ])(
    'agents C53: if it %s, the open child turn ends and its effects are taken back',
    async (_name, key, task, ends) => {
      cards.length = 0;
      Object.assign(ways, { key: 'first', task: 'Work.', limits: {} });
      const team = [{ id: 'board', tools: [add, flow] }];
      const call = callTools({ tool: 'board.flow', args: {} });
      const first = open([call], [helper([addA, stall()])], [], team);
      first.session.send('Go').catch(() => {});
      for (let i = 0; i < 50 && cards.length === 0; i++) await settle();
      await settle();
      expect(cards).toEqual(['A']);
      await first.session.dispose({ turn: 'leave' });

      Object.assign(ways, { key, task });
      const next = open([say('Done.')], [helper([say('Helped.')])], first.operations, team);
      await opened(next.session);
      expect(await next.session.resume()).toMatchObject({ status: 'completed' });
      expect(cards).toEqual([]);
      const [turn] = next.session.state.turns;
      expect(childrenOf(turn!).map(({ status }) => status)).toEqual(ends);
      expect(checkOrder([...first.operations, ...next.operations])).toEqual([]);
      await next.session.dispose();
    },
  );

  it('a wrong limit throws before the child turn goes on, and the child turn ends', async () => {
    cards.length = 0;
    Object.assign(ways, { key: 'first', task: 'Work.', limits: {} });
    const team = [{ id: 'board', tools: [add, flow] }];
    const call = callTools({ tool: 'board.flow', args: {} });
    const first = open([call], [helper([addA, stall()])], [], team);
    first.session.send('Go').catch(() => {});
    for (let i = 0; i < 50 && cards.length === 0; i++) await settle();
    await settle();
    await first.session.dispose({ turn: 'leave' });

    ways.limits = { maxRounds: -1 };
    const next = open([say('Done.')], [helper([])], first.operations, team);
    await opened(next.session);
    await next.session.resume();
    const [turn] = next.session.state.turns;
    expect(childrenOf(turn!)).toMatchObject([
      { status: 'failed', outcome: { error: { code: 'interrupted' } } },
    ]);
    expect(cards).toEqual([]);
    const leaves = next.operations.flatMap((one) => (one.type === 'subagent' ? [one.inner] : []));
    expect(leaves.filter(({ type }) => type === 'turnResumed')).toEqual([
      { type: 'turnResumed', by: 'abandon' },
    ]);
    expect(checkOrder([...first.operations, ...next.operations])).toEqual([]);
    await next.session.dispose();
  });
});
