// What an agent has of the turns above it: limits, clock, reports, and the settings that reach its requests.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  callTools,
  finishWith,
  gate,
  gatedTool,
  say,
  scriptedProvider,
  settle,
  type AnswerSource,
} from '@banister/testing';
import { defineAgent, defineTool, type Agent, type Domain } from '@banister/session';
import type { ProviderRequest } from '@banister/provider';
import { childrenOf, type RunOptions } from '@banister/session/operations';
import { childLastLine as lastLine } from '../src/conversation/agent-words.js';
import { add, delegate, pathBoard, team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture } from './fixture.js';

beforeAll(agentsLoaded);

const agent = (id: string, answers: readonly AnswerSource[], more: Partial<Agent> = {}): Agent =>
  defineAgent({
    id,
    role: `You are ${id}.`,
    tools: ['board', 'team'],
    provider: scriptedProvider(answers),
    ...more,
  });

const used = (inputTokens: number) => ({ type: 'usage', usage: { inputTokens, outputTokens: 0 } }) as const;

describe('a call that was cut in an agent inside an agent', () => {
  /** A tool that records an effect, and does not return until the test lets it. */
  function held() {
    const [started, end] = [gate(), gate()];
    const state = { cards: 0 };
    const hold = defineTool({
      name: 'hold',
      description: 'Adds a card, and waits.',
      parameters: { type: 'object' },
      async execute(_args, { undo }) {
        state.cards++;
        undo({ description: 'held', revert: () => void state.cards-- });
        void started.pass();
        await end.pass();
      },
    });
    const domain: Domain = { id: 'board', tools: [hold] };
    return { domain, started, end, state };
  }

  it.each([1, 2])(
    'agents C15: is unknown in the report of the agent that is aborted, at depth %d',
    async (depth) => {
      const { domain, started, end, state } = held();
      const call = callTools({ tool: 'board.hold', args: {} });
      await using f = fixture([delegate('lead'), say('Done.')], {
        domains: [domain, team()],
        limits: { maxDepth: 2 },
        looseScript: true,
        agents: [agent('lead', [depth === 1 ? call : delegate('inner')]), agent('inner', [call])],
      });
      const turn = f.session.send('Go');
      await started.reached;
      const lead = childrenOf(f.session.state.liveTurn!)[0]!;
      const { undo } = await f.session.cancel({ child: lead.id, immediate: true });
      expect(undo).toMatchObject({ irreversible: [], unknown: [{ description: 'held' }] });
      await turn;
      end.open();
      for (let i = 0; i < 5; i++) await settle();
      expect(state.cards).toBe(0);
    },
  );
});

describe('the limits of the turn in an agent', () => {
  it('agents C38, C41: the calls of all agents count together, and the agent that meets `maxToolCalls` is stopped and keeps its work', async () => {
    const { domain, cards } = pathBoard();
    await using f = fixture([delegate('a'), say('Done.')], {
      domains: [domain, team()],
      limits: { maxToolCalls: 2, onTrip: 'stop' },
      looseScript: true,
      agents: [agent('a', [add('A'), add('B'), say('A.')])],
    });
    await f.session.send('Go');
    const [child] = childrenOf(f.session.state.turns[0]!);
    expect(child).toMatchObject({
      status: 'stopped',
      outcome: { stop: { limit: { code: 'max-tool-calls' } } },
      effects: [{ description: 'A' }],
    });
    expect(cards).toEqual(['A']);
  });

  it.each([true, false])(
    'agents C42: while the user is asked for more, no agent takes its next step; more is given: %s',
    async (isGiven) => {
      const { domain, cards } = pathBoard();
      const look = gatedTool('peek', { capabilities: ['readOnly'] });
      const looks = callTools(used(1), { tool: 'board.peek', args: {} });
      await using f = fixture([delegate('a', 'b'), say('Done.')], {
        domains: [{ ...domain, tools: [...domain.tools, look] }, team()],
        limits: { maxTokens: 100, onTrip: 'ask' },
        looseScript: true,
        agents: [
          agent('a', [
            callTools(used(150), { tool: 'board.add', args: { title: 'A' } }),
            add('A2'),
            say('A.'),
          ]),
          agent('b', [looks, add('B'), say('B.')]),
        ],
      });
      const turn = f.session.send('Go');
      for (let i = 0; i < 5; i++) await settle();
      const request = f.session.state.pendingExtension!;
      expect(request).toMatchObject({ limit: 'maxTokens' });
      const before = [...cards];
      for (const run of look.runs) run.settle();
      for (let i = 0; i < 10; i++) await settle();
      // Neither agent began a further request or call.
      expect(cards).toEqual(before);
      const answer = isGiven ? { extend: { maxTokens: 1_000 } } : { end: true as const };
      await f.session.respond(request.id, answer);
      for (let i = 0; i < 20; i++) {
        for (const run of look.runs) if (!run.settled) run.settle();
        await settle();
      }
      expect(await turn).toMatchObject({ status: isGiven ? 'completed' : 'stopped' });
      const open = childrenOf(f.session.state.turns[0]!).filter(({ status }) => status === 'running');
      expect(open).toEqual([]);
      if (isGiven) expect(cards.toSorted()).toEqual(['A', 'A2', 'B']);
    },
  );

  it('agents C39: the clock of the turn stands while its only agent thinks, up to `maxThinkingMs`', async () => {
    const [thinking, end] = [gate(), gate()];
    await using f = fixture([delegate('a'), say('Done.')], {
      domains: [team()],
      limits: { timeoutMs: 1_000, maxThinkingMs: 60_000 },
      agents: [
        agent('a', [finishWith('stop', { type: 'thinking', delta: 'Hm' }, thinking, end, 'A.')], {
          tools: [],
        }),
      ],
    });
    const turn = f.session.send('Go');
    thinking.open();
    await end.reached;
    await f.clock.advance(30_000);
    end.open();
    expect(await turn).toMatchObject({ status: 'completed' });
    expect(f.session.state.budget.timeMs.spent).toBe(0);
  });
});

describe('the requests of an agent', () => {
  /** Runs an agent with options, and returns its requests. */
  async function requestsOf(options: RunOptions, more: Partial<Agent> = {}) {
    const requests: ProviderRequest[] = [];
    const answer: AnswerSource = (request) => {
      requests.push(request);
      return say('A.');
    };
    const flow = defineTool({
      name: 'flow',
      description: 'Lets an agent work.',
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      execute: async (_args, { run }) => (await run('a', 'Work.', options)).text,
    });
    await using f = fixture([callTools({ tool: 'team.flow', args: {} }), say('Done.')], {
      domains: [{ id: 'team', tools: [flow] }],
      context: [{ id: 'session', policy: 'always', summary: () => 'Context of the session.' }],
      agents: [agent('a', [answer], { tools: [], ...more })],
    });
    await f.session.send('Go');
    return requests.map(({ system }) => system ?? '');
  }

  it('agents C49: the system prompt of an agent ends with the line of the library, and that of the session does not', async () => {
    const [system] = await requestsOf({});
    expect(system).toMatch(/^You are a\./);
    expect(system!.endsWith(lastLine)).toBe(true);
    await using f = fixture([say('Hi.')], {
      role: 'You are a chat.',
      agents: [agent('a', [], { tools: [] })],
    });
    await f.session.send('Hello');
    expect(f.provider.requests[0]!.system).not.toContain(lastLine);
  });

  it('agents 4.2: directives of a run stand behind the role of the agent', async () => {
    const [system] = await requestsOf({ directives: ['Be brief.', 'In French.'] });
    const at = ['You are a.', 'Be brief.', 'In French.', lastLine].map((text) => system!.indexOf(text));
    expect(at).toEqual(at.toSorted((one, other) => one - other));
    expect(at[0]).toBe(0);
    expect(at).not.toContain(-1);
  });

  it('agents 4.1: an agent reads its own context, and without one that of the session', async () => {
    expect((await requestsOf({}))[0]).toContain('Context of the session.');
    const own = [{ id: 'own', policy: 'always', summary: () => 'Context of the agent.' } as const];
    const [system] = await requestsOf({}, { context: own });
    expect(system).toContain('Context of the agent.');
    expect(system).not.toContain('Context of the session.');
  });
});

it('agents 4.2: the signal of a run aborts its child turn: a running tool is cut', async () => {
  const tool = gatedTool('write');
  const controller = new AbortController();
  const flow = defineTool({
    name: 'flow',
    description: 'Lets an agent work.',
    parameters: { type: 'object' },
    capabilities: ['readOnly'],
    execute: async (_args, { run }) => (await run('a', 'Work.', { signal: controller.signal })).status,
  });
  await using f = fixture([callTools({ tool: 'team.flow', args: {} }), say('Done.')], {
    domains: [
      { id: 'board', tools: [tool] },
      { id: 'team', tools: [flow] },
    ],
    looseScript: true,
    agents: [agent('a', [callTools({ tool: 'board.write', args: {} })])],
  });
  const turn = f.session.send('Go');
  await settle();
  expect(tool.runs).toHaveLength(1);
  controller.abort();
  // The turn does not wait for the tool.
  expect(await turn).toMatchObject({ status: 'completed' });
  expect(childrenOf(f.session.state.turns[0]!)).toMatchObject([{ status: 'cancelled' }]);
  tool.runs[0]!.settle();
  await settle();
});
