// Agents side by side: whose calls exclude each other, stale calls, and the number of open requests.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  callTools,
  failAfter,
  gate,
  gatedTool,
  say,
  scriptedProvider,
  settle,
  type GatedTool,
} from '@banister/testing';
import { defineAgent, defineTool, type Agent, type Tool } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { add, pathBoard } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture } from './fixture.js';

beforeAll(agentsLoaded);

const names = { type: 'array', items: { type: 'string' } } as const;

/** A tool that lets agents work side by side. */
const work = defineTool({
  name: 'work',
  description: 'Lets agents work.',
  parameters: { type: 'object', properties: { agents: names }, required: ['agents'] },
  capabilities: ['readOnly'],
  execute: async ({ agents }, { run }) => {
    const ended = await Promise.all(agents.map((id) => run(id, `Work, ${id}.`)));
    return ended.map(({ text }) => text);
  },
});

const write = (more: Partial<Tool> = {}) =>
  gatedTool('write', { resources: ({ on }) => on as readonly string[], ...more });

const call = (n: number, ...on: string[]) => callTools({ tool: 'board.write', args: { n, on } });
const delegate = (...agents: string[]) => callTools({ tool: 'team.work', args: { agents } });

const agent = (id: string, answers: Parameters<typeof scriptedProvider>[0]): Agent =>
  defineAgent({ id, role: id, tools: ['board'], provider: scriptedProvider(answers) });

const domains = (...tools: readonly Tool[]) => [
  { id: 'board', tools },
  { id: 'team', tools: [work] },
];

const running = ({ runs }: GatedTool) => runs.filter((run) => !run.settled).map((run) => run.args.n);
const settleAll = ({ runs }: GatedTool) => runs.forEach((run) => run.settled || run.settle());

describe('calls of agents side by side', () => {
  it.each([
    ['without resources exclude each other', {}, [], [], [1]],
    ['on one resource exclude each other', {}, ['card 1'], ['card 1'], [1]],
    ['on other resources run at once', {}, ['card 1'], ['card 2'], [1, 2]],
    ['of a parallel tool run at once', { parallel: true, resources: undefined }, [], [], [1, 2]],
    ['that only read run at once', { capabilities: ['readOnly'] }, ['card 1'], ['card 1'], [1, 2]],
  ] as const)('agents C22: %s', async (_name, more, first, second, expected) => {
    const tool = write(more as Partial<Tool>);
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains: domains(tool),
      agents: [agent('a', [call(1, ...first), say('A.')]), agent('b', [call(2, ...second), say('B.')])],
    });
    const turn = f.session.send('Go');
    await settle();
    expect(running(tool)).toEqual(expected);
    // Waiting costs no time of the turn; the calls that run do.
    settleAll(tool);
    await settle();
    settleAll(tool);
    await turn;
    expect(f.session.state.turns).toMatchObject([{ status: 'completed' }]);
  });

  it('agents C22: a call that waits does not start after a cancel of its child turn', async () => {
    const tool = write();
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains: domains(tool),
      looseScript: true,
      agents: [agent('a', [call(1), say('A.')]), agent('b', [call(2), say('B.')])],
    });
    const turn = f.session.send('Go');
    await settle();
    const second = childrenOf(f.session.state.liveTurn!).find((child) => child.agent === 'b')!;
    expect(await f.session.cancel({ child: second.id })).toMatchObject({ cancelled: true });
    settleAll(tool);
    await turn;
    expect(tool.runs.map(({ args }) => args.n)).toEqual([1]);
  });

  it('agents C22: an agent inside a call does not wait for that call', async () => {
    const inner = write();
    const outer = defineTool({
      name: 'outer',
      description: 'Changes the board, and lets an agent change it.',
      parameters: { type: 'object' },
      execute: async (_args, { run }) => (await run('a', 'Work.')).text,
    });
    await using f = fixture([callTools({ tool: 'board.outer', args: {} }), say('Done.')], {
      domains: domains(inner, outer),
      agents: [agent('a', [call(1), say('A.')])],
    });
    const turn = f.session.send('Go');
    await settle();
    expect(running(inner)).toEqual([1]);
    settleAll(inner);
    await turn;
  });
});

describe('rollbacks of agents side by side', () => {
  it('agents C22: an agent inside a call rolls back while the rollback of another agent waits for that call', async () => {
    const { cards, moves, domain } = pathBoard();
    const flow = defineTool({
      name: 'flow',
      description: 'Lets an agent change the board.',
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      execute: async (_args, { run }) => (await run('inner', 'Work.')).status,
    });
    const [flows, first, second] = [gate(), gate(), gate()];
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains: domains(flow, ...domain.tools!),
      limits: { maxDepth: 2 },
      agents: [
        agent('a', [add('A'), failAfter([first], 'auth')]),
        agent('b', [callTools(flows, { tool: 'board.flow', args: {} }), say('B.')]),
        agent('inner', [add('B'), failAfter([second], 'auth')]),
      ],
    });
    const turn = f.session.send('Go');
    await first.reached;
    flows.open();
    await second.reached;
    expect(cards).toEqual(['A', 'B']);
    first.open();
    await settle();
    // The call of `flow` runs, and the card of the first agent is its to change.
    expect(moves).toEqual([]);
    second.open();
    await turn;
    expect(moves).toEqual(['-B', '-A']);
    expect(childrenOf(f.session.state.turns[0]!).map(({ agent: id, status }) => [id, status])).toEqual([
      ['a', 'failed'],
      ['b', 'completed'],
      ['inner', 'failed'],
    ]);
  });
});

describe('a call on what another agent has changed', () => {
  it('agents C24: is answered as a conflict, and runs after its agent has read again', async () => {
    const tool = write();
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains: domains(tool),
      agents: [
        agent('a', [call(1, 'card 1'), say('A.')]),
        agent('b', [call(2, 'card 1'), call(3, 'card 1'), say('B.')]),
      ],
    });
    const turn = f.session.send('Go');
    for (let i = 0; i < 4; i++) {
      await settle();
      settleAll(tool);
    }
    await turn;
    expect(tool.runs.map(({ args }) => args.n)).toEqual([1, 3]);
    const other = childrenOf(f.session.state.turns[0]!).find((child) => child.agent === 'b')!;
    const calls = other.rounds.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
    const text = '[agent a changed "card 1" since you read it. Read it again.]';
    expect(calls).toMatchObject([
      { rejection: 'conflict', result: { content: [{ text }] } },
      { result: { outcome: 'success' } },
    ]);
  });
});

describe('requests of child turns', () => {
  it('agents C25: at most `maxConcurrentRequests` are open at once, and the others wait in order', async () => {
    let open = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const provider = scriptedProvider([], {
      otherwise: () => say('Done.'),
    });
    const counted: Agent['provider'] = {
      ...provider,
      stream: async function* (...given: Parameters<typeof provider.stream>) {
        most = Math.max(most, ++open);
        await new Promise<void>((resolve) => ends.push(resolve));
        yield* provider.stream(...given);
        open--;
      },
    };
    const ids = ['a', 'b', 'c', 'd', 'e'];
    await using f = fixture([delegate(...ids), say('Done.')], {
      domains: domains(),
      agents: ids.map((id) => defineAgent({ id, role: id, provider: counted })),
      limits: { maxConcurrentRequests: 2 },
    });
    const turn = f.session.send('Go');
    for (let i = 0; i < ids.length; i++) {
      await settle();
      ends.shift()!();
    }
    await turn;
    expect(most).toBe(2);
    expect(childrenOf(f.session.state.turns[0]!)).toHaveLength(5);
  });
});
