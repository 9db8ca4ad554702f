// Child turns at the edges: limits of the turn above, cut calls, and runs that are not awaited.
import { beforeAll, expect, it, vi } from 'vitest';
import {
  callTools,
  createVirtualClock,
  gate,
  gatedTool,
  say,
  scriptedProvider,
  settle,
  stall,
} from '@banister/testing';
import { defineAgent, defineTool, type Agent, type Domain } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { childrenCode } from '../src/children/children-of.js';
import { add, delegate, pathBoard, team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, rejection } from './fixture.js';

beforeAll(agentsLoaded);

const agent = (id: string, answers: Parameters<typeof scriptedProvider>[0], more: Partial<Agent> = {}) =>
  defineAgent({
    id,
    role: id,
    tools: ['team'],
    provider: scriptedProvider(answers, { otherwise: () => stall() }),
    ...more,
  });

const used = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 0 } });

it.each([
  ['of the turn', { maxTokens: 100 }, 'maxTokens'],
  ['of the session', { session: { maxTokens: 100 } }, 'session.maxTokens'],
] as const)(
  'agents C42: a limit of tokens %s that trips in a child turn asks the user once, and the child turn goes on',
  async (_name, limits, limit) => {
    const board: Domain = { id: 'board', tools: [gatedTool('write', { capabilities: ['readOnly'] })] };
    const look = callTools({ tool: 'board.write', args: {} }, { type: 'usage', ...used(150) });
    await using f = fixture([delegate('a'), say('Done.', used(1))], {
      domains: [board, team()],
      limits: { ...limits, onTrip: 'ask' },
      agents: [agent('a', [look, say('A.', used(50))], { tools: ['board'] })],
    });
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.state.pendingExtension).toMatchObject({ limit, spent: 150 });
    void f.session.respond(f.session.state.pendingExtension!.id, { extend: { [limit]: 500 } });
    await settle();
    (board.tools[0] as ReturnType<typeof gatedTool>).runs[0]!.settle();
    await turn;
    expect(childrenOf(f.session.state.turns[0]!)).toMatchObject([{ status: 'completed' }]);
    expect(f.observed.operations.filter(({ type }) => type === 'extensionRequested')).toHaveLength(1);
  },
);

it('agents C38: the time of an agent counts while an agent inside it works', async () => {
  await using f = fixture([delegate('a'), say('Done.')], {
    domains: [team()],
    limits: { maxDepth: 2 },
    agents: [agent('a', [delegate('b')], { limits: { timeoutMs: 1_000 } }), agent('b', [stall()])],
  });
  const turn = f.session.send('Go');
  await settle();
  expect(childrenOf(f.session.state.liveTurn!)).toHaveLength(2);
  await f.clock.advance(1_500);
  await turn;
  const [outer] = childrenOf(f.session.state.turns[0]!);
  expect(outer!.outcome).toMatchObject({ status: 'stopped', stop: { limit: { code: 'timeout' } } });
});

it('agents C6: a rejected run that no code awaits yet is no unhandled rejection', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  try {
    const pair = defineTool({
      name: 'pair',
      description: 'Lets two agents work, and reads their results one after the other.',
      parameters: { type: 'object' },
      async execute(_args, { run }) {
        const [first, second] = [run('a', 'Work.'), run('b', 'Work.')];
        return [await first, await second].map(({ text }) => text);
      },
    });
    await using f = fixture([callTools({ tool: 'team.pair', args: {} })], {
      domains: [{ id: 'team', tools: [pair] }],
      agents: [agent('a', [stall()]), agent('b', [stall()])],
    });
    f.session.send('Go').catch(() => {});
    await settle();
    await f.session.cancel({ immediate: true });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off('unhandledRejection', unhandled);
  }
});

it('agents 5.13: a run whose code is loaded after the end of its call rejects `cancelled`', async () => {
  const call = { turnId: 't', callId: 'c', begun: { keys: [], last: undefined }, isRunning: () => false };
  const code = await childrenCode.get(createVirtualClock(1_000));
  expect(await rejection(code.runChild({} as never, call, 'a', 'Work.', {}))).toMatchObject({
    code: 'cancelled',
  });
});

it('agents C22: the effect of a cut call is taken back after the calls of other agents that exclude it', async () => {
  const moves: string[] = [];
  const add = gatedTool('add');
  const write = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object' },
    async execute(args, context) {
      context.undo({
        description: 'card',
        paths: [context.callId],
        revert: () => void moves.push('reverted'),
      });
      await add.execute(args as never, context);
      moves.push('returned');
    },
  });
  const call = callTools({ tool: 'board.add', args: {} });
  await using f = fixture([delegate('a', 'b'), say('Done.')], {
    domains: [{ id: 'board', tools: [write] }, team()],
    agents: [agent('a', [call], { tools: ['board'] }), agent('b', [call, say('B.')], { tools: ['board'] })],
    looseScript: true,
  });
  const turn = f.session.send('Go');
  await settle();
  const [a] = childrenOf(f.session.state.liveTurn!);
  await f.session.cancel({ child: a!.id, immediate: true });
  await settle();
  expect(add.runs).toHaveLength(2);
  add.runs[0]!.settle();
  await settle();
  expect(moves).toEqual(['returned']);
  add.runs[1]!.settle();
  await turn;
  await settle();
  expect(moves).toEqual(['returned', 'returned', 'reverted']);
});

it('agents C15: an own effect stays if a later own effect stays because an effect of another agent depends on it', async () => {
  const { domain, moves, cards } = pathBoard();
  const later = gate();
  const part = callTools(later, { tool: 'board.add', args: { title: 'P/two' } });
  await using f = fixture([delegate('a', 'b'), say('Done.')], {
    domains: [domain, team()],
    agents: [
      agent('a', [add('P/one'), add('P'), stall()], { tools: ['board'] }),
      agent('b', [part, say('B.')], { tools: ['board'] }),
    ],
    looseScript: true,
  });
  const turn = f.session.send('Go');
  await settle();
  later.open();
  await settle();
  expect(cards).toEqual(['P/one', 'P', 'P/two']);
  const [a] = childrenOf(f.session.state.liveTurn!);
  const { undo } = await f.session.cancel({ child: a!.id });
  expect(undo).toMatchObject({
    done: [],
    failed: [
      { description: 'P', because: { code: 'dependent-stays' } },
      { description: 'P/one', because: { code: 'dependent-stays' } },
    ],
  });
  await turn;
  await f.session.undo();
  expect(moves).toEqual(['-P/two', '-P', '-P/one']);
});

it('agents C15: the effect of a cut call stays while an effect of another agent depends on it', async () => {
  const app = { place: '' };
  const held = gate();
  const write = defineTool({
    name: 'write',
    description: 'Writes a place.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    async execute({ text }, { undo }) {
      const before = app.place;
      app.place = text;
      undo({ description: text, paths: ['place'], revert: () => void (app.place = before) });
      if (text === 'A') await held.pass();
    },
  });
  const writes = (text: string) => callTools({ tool: 'board.write', args: { text } });
  await using f = fixture([delegate('a', 'b'), say('Done.')], {
    domains: [{ id: 'board', tools: [write] }, team()],
    agents: [
      agent('a', [writes('A')], { tools: ['board'] }),
      agent('b', [writes('B'), stall()], { tools: ['board'] }),
    ],
    looseScript: true,
  });
  const turn = f.session.send('Go');
  await settle();
  const [a, b] = childrenOf(f.session.state.liveTurn!);
  await f.session.cancel({ child: a!.id, immediate: true });
  await settle();
  expect(app.place).toBe('B');
  held.open();
  await settle();
  expect(app.place).toBe('B');
  expect(f.observed.operations.findLast(({ type }) => type === 'lateToolSettled')).toMatchObject({
    settlement: { effect: 'revert-failed' },
  });
  await f.session.cancel({ child: b!.id, sideEffects: 'keep' });
  await turn;
  expect(f.session.state.turns[0]!.effects).toMatchObject([{ description: 'A' }, { description: 'B' }]);
  const { done, failed } = await f.session.undo();
  expect([done, failed]).toMatchObject([[{ description: 'B' }, { description: 'A' }], []]);
  expect(app.place).toBe('');
});
