// Child turns beside a fallback, compaction and staged discovery.
import { beforeAll, describe, expect, it } from 'vitest';
import { compaction, defineTool, stagedDiscovery, type Agent, type Domain } from '@banister/session';
import { childrenOf, usageByAgent } from '@banister/session/operations';
import { withFallback } from '@banister/provider';
import { callTools, fail, say, scriptedProvider, type ScriptedAnswer } from '@banister/testing';
import { add, pathBoard } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { compactionLoaded } from './compaction-loaded.js';
import { discoveryLoaded } from './discovery-loaded.js';
import { fixture } from './fixture.js';
import { createSession } from './opened.js';

beforeAll(() => Promise.all([agentsLoaded(), compactionLoaded(), discoveryLoaded()]));

const delegate = (agent = 'helper') =>
  callTools({ tool: 'banister.delegate', args: { agent, task: 'Work on it.' } });

const helper = (more: Partial<Agent> = {}): Agent => ({
  id: 'helper',
  description: 'Helps.',
  role: 'You help.',
  tools: ['board'],
  ...more,
});

/** A tool that lets the agent work in a thread. */
const thread: Domain = {
  id: 'crew',
  tools: [
    defineTool({
      name: 'work',
      description: 'Lets the agent work.',
      parameters: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
      capabilities: ['readOnly'],
      execute: async ({ task }, { run }) => (await run('helper', task, { thread: 'work' })).status,
    }),
  ],
};

describe('a fallback', () => {
  it('agents C1: of the session goes on for a child turn, whose record has its switch, and the parts of the usage sum', async () => {
    const usage = { inputTokens: 10, outputTokens: 1, totalTokens: 11 };
    const down = scriptedProvider([], { id: 'down', otherwise: fail('overloaded') });
    const up = scriptedProvider([delegate(), add('A'), say('A.', { usage }), say('Done.', { usage })], {
      id: 'up',
    });
    const { domain } = pathBoard();
    const f = createSession([], {
      provider: withFallback([down, up]),
      domains: [domain],
      agents: [helper()],
      limits: { maxRetries: 0 },
    });
    const { text, usage: sum } = await f.session.send('Go');
    expect([text, sum?.totalTokens ?? 0]).toEqual(['Done.', 22]);
    const [turn] = f.session.state.turns;
    const [child] = childrenOf(turn!);
    for (const { switches } of [turn!, child!])
      expect(switches).toMatchObject([{ from: { provider: 'down' } }]);
    expect(usageByAgent(turn!).map(({ agent, usage: part }) => [agent, part?.inputTokens])).toEqual([
      [null, 10],
      ['helper', 10],
    ]);
    await f.session.dispose();
  });

  it('agents C6: each of whose providers is down fails the child turn alone', async () => {
    const down = () => scriptedProvider([], { otherwise: fail('overloaded') });
    const { domain } = pathBoard();
    await using f = fixture([delegate(), say('Then not.')], {
      domains: [domain],
      agents: [helper({ provider: withFallback([down(), down()]) })],
      limits: { maxRetries: 0 },
    });
    expect((await f.session.send('Go')).text).toBe('Then not.');
    expect(childrenOf(f.session.state.turns[0]!)).toMatchObject([
      { status: 'failed', outcome: { error: { code: 'overloaded' } } },
    ]);
  });
});

describe('compaction of the conversation of an agent', () => {
  const long = 'question '.repeat(400);
  const work = callTools({ tool: 'crew.work', args: { task: long } });

  /** A session after turns with a child turn each, which continue one thread. */
  async function worked(turns: number, answers: readonly ScriptedAnswer[], more: Partial<Agent> = {}) {
    const provider = scriptedProvider(answers, { contextWindow: 7_000 });
    const own = Array.from({ length: turns }, () => [work, say('Done.')]).flat();
    const f = fixture(own, {
      domains: [thread],
      agents: [helper({ tools: [], provider, ...more })],
      compaction: compaction(),
    });
    for (let turn = 0; turn < turns; turn++) await f.session.send('Go');
    return { f, provider, children: f.session.state.turns.flatMap(childrenOf) };
  }
  const answers = [say(long), say(long), say(long), say('A summary.'), say(long)];

  it('agents C1: is in the record of the child turn, and not in the compactions of the session', async () => {
    const { f, provider, children } = await worked(4, answers);
    await using _ = f;
    expect(children.map(({ compactions = [] }) => compactions.length)).toEqual([0, 0, 0, 1]);
    expect(children[3]!.compactions).toMatchObject([{ summary: 'A summary.' }]);
    expect(f.session.compactions.value).toEqual([]);
    expect(JSON.stringify(provider.requests.at(-1)!.messages)).toContain('A summary.');
    await f.session.uncompact(children[3]!.compactions![0]!.id).catch(() => {});
    expect(f.session.state.turns.flatMap(childrenOf)).toEqual(children);
  });

  it('agents C9: counts for the next child turn of its thread, without a second summary', async () => {
    const { f, provider, children } = await worked(5, [...answers, say('Last.')]);
    await using _ = f;
    expect(children.map(({ status }) => status)).toEqual(children.map(() => 'completed'));
    expect(provider.requests).toHaveLength(6);
    expect(JSON.stringify(provider.requests.at(-1)!.messages)).toContain('A summary.');
  });

  it('agents C2: of the conversation above counts for a child turn that reads it', async () => {
    const reader = defineTool({
      name: 'read',
      description: 'Lets the agent read.',
      parameters: { type: 'object' },
      execute: async (_args, { run }) => (await run('helper', 'Read.', { reads: 'conversation' })).text,
    });
    const provider = scriptedProvider([say('I have read it.')]);
    const own = [...answers, callTools({ tool: 'crew.read', args: {} }), say('Done.')];
    await using f = fixture(own, {
      scripted: { contextWindow: 7_000 },
      domains: [{ id: 'crew', tools: [reader] }],
      agents: [helper({ tools: [], provider })],
      compaction: compaction(),
    });
    for (let turn = 0; turn < 4; turn++) await f.session.send(long);
    expect(f.session.compactions.value).toHaveLength(1);
    expect((await f.session.send('Read it.')).text).toBe('Done.');
    const [request] = provider.requests;
    const text = JSON.stringify(request!.messages);
    expect(text).toContain('A summary.');
    expect(text.length).toBeLessThan(JSON.stringify(f.session.conversation.value.messages).length / 2);
    expect(childrenOf(f.session.state.turns.at(-1)!)).toMatchObject([{ status: 'completed' }]);
  });

  it('agents: with `compaction: null`, an agent compacts nothing', async () => {
    const { f, children } = await worked(4, [say(long), say(long), say(long), say(long)], {
      compaction: null,
    });
    await using _ = f;
    expect(children.flatMap(({ compactions = [] }) => compactions)).toEqual([]);
  });
});

describe('staged discovery in a child turn', () => {
  const look = (id: string): Domain => ({
    id,
    summary: `About ${id}.`,
    tools: [
      defineTool({ name: 'look', description: 'Looks.', parameters: { type: 'object' }, execute: () => id }),
    ],
  });
  const use = (...ids: string[]) => callTools({ tool: 'banister.use_domain', args: { ids } });

  it('agents C32: activates the domains of the agent, and knows no other', async () => {
    const provider = scriptedProvider([
      use('mail'),
      use('docs'),
      callTools({ tool: 'docs.look', args: {} }),
      say('Looked.'),
    ]);
    await using f = fixture([delegate(), say('Done.')], {
      domains: [look('docs'), look('mail'), look('notes')],
      agents: [helper({ tools: ['docs', 'notes.look'], provider })],
      discovery: stagedDiscovery({ always: true }),
    });
    expect((await f.session.send('Go')).text).toBe('Done.');
    const [child] = childrenOf(f.session.state.turns[0]!);
    expect(child).toMatchObject({ status: 'completed', activated: ['docs'] });
    expect(f.session.state.turns[0]!.activated ?? []).toEqual([]);
    const [first, , third] = provider.requests;
    expect(first!.system).toContain('Domain docs');
    expect(first!.system).not.toContain('mail');
    expect(first!.tools.map(({ name }) => name)).not.toContain('docs.look');
    expect(third!.tools.map(({ name }) => name)).toContain('docs.look');
    expect(JSON.stringify(provider.requests[1]!.messages.at(-1))).toContain('mail');
  });
});
