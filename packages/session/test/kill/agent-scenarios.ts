import { defineTool, type Agent, type Domain } from '@banister/session';
import { callTools, fail, say, stall, type ScriptedAnswer } from '@banister/testing';
import { confirmTools } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import type { Scenario } from './scenario.js';

const list = { type: 'array', items: { type: 'string' } } as const;
const agentList = { type: 'object', properties: { agents: list }, required: ['agents'] } as const;

const titled = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
} as const;

/** Tools that run agents: all of a list side by side, or one after the other. */
const team: Domain = {
  id: 'team',
  tools: [
    defineTool({
      name: 'together',
      description: 'Lets agents work side by side.',
      parameters: agentList,
      capabilities: ['readOnly'],
      execute: async ({ agents }, { run }) => {
        const ended = await Promise.all(agents.map((agent) => run(agent, agent)));
        return ended.map(({ status, text }) => `${status} ${text}`).join();
      },
    }),
    defineTool({
      name: 'inTurn',
      description: 'Lets agents work one after the other.',
      parameters: agentList,
      capabilities: ['readOnly'],
      execute: async ({ agents }, { run }) => {
        const ended: string[] = [];
        for (const agent of agents) ended.push((await run(agent, agent, { key: agent })).status);
        return ended.join();
      },
    }),
    defineTool({
      name: 'report',
      description: 'Lets agents work, and asks for their titles.',
      parameters: agentList,
      capabilities: ['readOnly'],
      execute: async ({ agents }, { run }) => {
        const ended = await Promise.all(agents.map((agent) => run(agent, agent, { output: titled })));
        return ended.map(({ status, output }) => `${status} ${output?.title}`).join();
      },
    }),
    defineTool({
      name: 'unsafe',
      description: 'Lets an agent work, and does not run again.',
      parameters: agentList,
      execute: async ({ agents }, { run }) => (await run(agents[0]!, agents[0]!)).status,
    }),
  ],
};

const agents: readonly Agent[] = [
  ...['a', 'b', 'c', 'lead'].map((id) => ({ id, role: `You are ${id}.`, tools: ['board', 'team'] })),
  { id: 'namer', role: 'You give names.' },
];

const described = agents.map((agent) => ({ ...agent, tools: ['board'], description: 'Adds cards.' }));

const card = (title: string, tool = 'add') => ({ tool: `board.${tool}`, args: { title } });
const together = (...names: readonly string[]) =>
  callTools({ tool: 'team.together', args: { agents: [...names] } });
const report = (...names: readonly string[]) =>
  callTools({ tool: 'team.report', args: { agents: [...names] } });
const inTurn = (...names: readonly string[]) =>
  callTools({ tool: 'team.inTurn', args: { agents: [...names] } });

/** The rounds of an agent that adds two cards. */
const worker = (name: string): readonly ScriptedAnswer[] => [
  callTools(card(`${name}1`), card(`${name}2`)),
  say(`${name} is done.`),
];

const base = { more: [team], options: { agents } };

/** A workflow that runs an agent under a key of its own. */
const routedTo = (agent: string | null): readonly Domain[] => [
  team,
  {
    id: 'flow',
    tools: [
      defineTool({
        name: 'route',
        description: 'Lets an agent work.',
        parameters: { type: 'object' },
        capabilities: ['readOnly'],
        execute: async (_args, { run }) =>
          agent === null ? 'Nothing.' : (await run(agent, agent, { key: 'only' })).status,
      }),
    ],
  },
];

const route = { tool: 'flow.route', args: {} };

/** Lives with child turns. */
export const agentScenarios: readonly Scenario[] = [
  {
    ...base,
    name: 'agents: one child turn',
    turns: {
      Go: [callTools(card('r1')), together('a'), callTools(card('r2')), say('Done.')],
      a: worker('a'),
    },
    run: ({ session }) => session.send('Go'),
  },
  {
    ...base,
    name: 'agents: three side by side',
    turns: {
      Go: [together('a', 'b', 'c'), say('Done.')],
      a: worker('a'),
      b: worker('b'),
      c: [say('Nothing.')],
    },
    run: ({ session }) => session.send('Go'),
  },
  {
    ...base,
    name: 'agents: questions of two child turns',
    turns: { Go: [together('a', 'b'), say('Done.')], a: worker('a'), b: worker('b') },
    options: { agents, guards: [confirmTools('board.add')] },
    run: ({ session }) => session.send('Go'),
  },
  {
    ...base,
    name: 'agents: one after the other, undone and redone',
    turns: { Go: [inTurn('a', 'b'), say('Done.')], a: worker('a'), b: worker('b') },
    run: async ({ session }) => {
      await session.send('Go');
      await session.undo();
      await session.redo();
    },
  },
  {
    ...base,
    name: 'agents: one of two undone alone, the whole turn undone, and one made again',
    turns: {
      Go: [callTools(card('r1')), together('a', 'b'), say('Done.')],
      a: worker('a'),
      b: worker('b'),
    },
    paths: (title) => [`cards/${title}`],
    run: async ({ session }) => {
      await session.send('Go');
      const { turnId, groups } = session.state.undoEntries[0]!;
      const part = { turnId, child: groups![0]!.child };
      await session.undo(part);
      await session.redo(part);
      await session.undo(part);
      await session.undo();
      await session.redo(part);
    },
  },
  {
    ...base,
    name: 'agents: one fails beside one that completes',
    turns: {
      Go: [together('a', 'b'), say('Done.')],
      a: [callTools(card('a1'), card('a2', 'paint')), fail('auth')],
      b: worker('b'),
    },
    run: ({ session }) => session.send('Go'),
  },
  {
    ...base,
    name: 'agents: the turn is cancelled while two work',
    turns: {
      Go: [callTools(card('r1')), together('a', 'b')],
      a: [callTools(card('a1')), stall()],
      b: [callTools(card('b1'), card('b2', 'mail')), stall()],
    },
    run: async ({ session, clock }) => {
      const turn = session.send('Go');
      turn.catch(() => {});
      await clock.advance(100);
      await session.cancel();
    },
  },
  {
    ...base,
    name: 'agents: an agent runs agents',
    turns: {
      Go: [together('lead'), callTools(card('r1')), say('Done.')],
      lead: [callTools(card('l1')), inTurn('a', 'b'), say('Led.')],
      a: worker('a'),
      b: worker('b'),
    },
    options: { agents, limits: { maxDepth: 2, maxToolCalls: 40 } },
    run: ({ session }) => session.send('Go'),
  },
  {
    ...base,
    name: 'agents: outputs, one after work and a repair, and one that never fits',
    turns: {
      Go: [report('a', 'namer'), say('Done.')],
      a: [callTools(card('a1')), say('a is ready.'), say('{"title":7}'), say('{"title":"A"}')],
      namer: [say('{"title":8}'), say('{"title":9}')],
    },
    run: ({ session }) => session.send('Go'),
  },
  {
    ...base,
    name: 'agents: messages for two child turns, of which one ends before it could join',
    turns: {
      Go: [together('a', 'b'), say('Done.')],
      a: [callTools(card('a1')), say('a is done.'), say('a was steered.')],
      b: [callTools(card('b1')), fail('auth')],
    },
    run: async ({ session }) => {
      const steered = new Set<string>();
      session.operations$.subscribe((one) => {
        if (one.type !== 'subagent' || one.inner.type !== 'toolStarted') return;
        const child = one.path.at(-1)!;
        if (steered.has(child)) return;
        steered.add(child);
        for (const text of ['Shorter', 'Kinder']) session.steer(text, { child }).catch(() => {});
      });
      await session.send('Go');
    },
  },
  {
    ...base,
    name: 'agents: a tool that does not run again',
    turns: {
      Go: [callTools({ tool: 'team.unsafe', args: { agents: ['a'] } }), say('Done.')],
      a: worker('a'),
    },
    run: ({ session }) => session.send('Go'),
  },
  {
    ...base,
    name: 'agents: one is cancelled, and takes back what it did',
    turns: {
      Go: [together('a', 'b'), callTools(card('r1')), say('Done.')],
      a: [callTools(card('a1'), card('a2', 'paint')), callTools(card('a3')), stall('Half')],
      b: worker('b'),
    },
    run: async ({ session, clock }) => {
      const turn = session.send('Go');
      turn.catch(() => {});
      await clock.advance(100);
      await session.cancel({ child: childrenOf(session.state.liveTurn!)[0]!.id });
      await turn;
    },
  },
  ...(['stop', 'fail'] as const).map((onTrip): Scenario => ({
    ...base,
    name: `agents: the time of a turn with \`${onTrip}\` is up while agents work inside an agent and beside it`,
    options: { agents, limits: { maxDepth: 2, maxToolCalls: 40, timeoutMs: 5_000, onTrip } },
    turns: {
      Go: [callTools(card('r1')), together('lead', 'b')],
      lead: [callTools(card('l1')), together('a')],
      a: [callTools(card('a1'), card('a2', 'mail')), stall()],
      b: [callTools(card('b1')), stall()],
    },
    run: async ({ session, clock }) => {
      const turn = session.send('Go');
      turn.catch(() => {});
      await clock.advance(5_000);
      await turn.catch(() => {});
    },
  })),
  {
    ...base,
    name: 'agents: a thread that goes on in the next turn',
    more: [
      team,
      {
        id: 'flow',
        tools: [
          defineTool({
            name: 'again',
            description: 'Lets an agent go on.',
            parameters: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
            capabilities: ['readOnly'],
            execute: async ({ task }, { run }) => (await run('a', task, { thread: 'main' })).text,
          }),
        ],
      },
    ],
    turns: {
      Go: [callTools({ tool: 'flow.again', args: { task: 'first' } }), say('Done.')],
      More: [callTools({ tool: 'flow.again', args: { task: 'second' } }), say('Done.')],
      first: worker('a'),
      second: [callTools(card('s1')), say('Again.')],
    },
    run: async ({ session }) => {
      await session.send('Go');
      await session.send('More');
    },
  },
  {
    name: 'agents: a workflow that goes another way when it runs again',
    more: routedTo('a'),
    options: { agents },
    resumedAs: { more: routedTo('b') },
    turns: { Go: [callTools(route), say('Done.')], a: worker('a'), b: worker('b') },
    run: ({ session }) => session.send('Go'),
  },
  {
    name: 'agents: a workflow that runs no agent when it runs again',
    more: routedTo('a'),
    options: { agents },
    resumedAs: { more: routedTo(null) },
    turns: { Go: [callTools(route), say('Done.')], a: worker('a') },
    run: ({ session }) => session.send('Go'),
  },
  {
    name: 'agents: an agent that the session lacks when it goes on',
    more: routedTo('a'),
    options: { agents },
    resumedAs: { options: { agents: agents.filter(({ id }) => id !== 'a') } },
    turns: { Go: [callTools(route), say('Done.')], a: worker('a') },
    run: ({ session }) => session.send('Go'),
  },
  {
    name: 'agents: an agent to which the model cannot delegate when the session goes on',
    options: { agents: described },
    resumedAs: { options: { agents: described.filter(({ id }) => id !== 'a') } },
    turns: {
      Go: [callTools({ tool: 'banister.delegate', args: { agent: 'a', task: 'a' } }), say('Done.')],
      a: [callTools(card('a1'), card('a2')), say('a is done.')],
    },
    run: ({ session }) => session.send('Go'),
  },
];
