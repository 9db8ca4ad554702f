// Child turns of a session that was left, and of a turn that is aborted.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
  confirmTools,
  defineAgent,
  defineTool,
  type Agent,
  type Domain,
  type Operation,
  type SessionOptions,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, rejection } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

beforeAll(() => Promise.all([agentsLoaded(), import('../src/session/log-chunk.js')]));
beforeEach(() => void (cards.length = 0));

/** A board whose cards survive its sessions. */
const cards: string[] = [];
const board: Domain = {
  id: 'board',
  tools: [
    defineTool({
      name: 'add',
      description: 'Adds a card.',
      parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      undo: { revert: ({ title }: { readonly title: string }) => void cards.splice(cards.indexOf(title), 1) },
      async execute({ title }, { undo }) {
        await undo({ description: `Added "${title}"`, data: { title } });
        cards.push(title);
      },
    }),
    defineTool({
      name: 'hang',
      description: 'Does not end.',
      parameters: { type: 'object' },
      execute: () => new Promise(() => {}),
    }),
  ],
};
/** A tool of the app that runs two agents, one after the other. */
const flow = (replay: 'safe' | 'never'): Domain => ({
  id: 'team',
  tools: [
    defineTool({
      name: 'flow',
      description: 'Runs a workflow.',
      parameters: { type: 'object' },
      replay,
      async execute(_args, { run }) {
        const first = await run('a', 'First.', { key: 'first' });
        const second = await run('b', `After ${first.text}`, { key: 'second' });
        return second.text;
      },
    }),
  ],
});

const add = (title: string) => callTools({ tool: 'board.add', args: { title } });

const delegate = (agent: string) => callTools({ tool: 'banister.delegate', args: { agent, task: 'Work.' } });

const agent = (id: string, answers: readonly AnswerSource[]): Agent & { readonly asked: () => number } => {
  const provider = scriptedProvider(answers);
  const value = defineAgent({ id, role: id, description: id, tools: ['board'], provider });
  return { ...value, asked: () => provider.requests.length };
};

const valueOf = (agents: readonly (Agent & { readonly asked: () => number })[]) =>
  agents.map(({ asked: _asked, ...value }) => value);

/** Plays a session until it rests, and leaves it. */
async function left(answers: readonly AnswerSource[], options: Partial<SessionOptions>) {
  const first = createSession(answers, options);
  first.session.send('Go').catch(() => {});
  for (let i = 0; i < 20; i++) await settle();
  await first.session.dispose({ turn: 'leave' });
  return first.operations;
}

async function reopened(
  before: readonly Operation[],
  answers: readonly AnswerSource[],
  options: Partial<SessionOptions>,
) {
  const restored = { snapshot: null, records: recordsOf([before]) };
  const next = createSession(answers, { ...options, restored });
  await opened(next.session);
  return next;
}

describe('a reload in a child turn', () => {
  it('agents C50: interrupts the turn at its batch, lists the calls of child turns that may have acted, and keeps questions without a deadline', async () => {
    const options = {
      domains: [board, team()],
      guards: [confirmTools('board.add')],
      agents: valueOf([agent('a', [callTools({ tool: 'board.hang', args: {} })]), agent('b', [add('B')])]),
    };
    const both = callTools({ tool: 'team.work', args: { agents: ['a', 'b'] } });
    const before = await left([both], options);
    const { session } = await reopened(before, [], options);
    const hanging = childrenOf(session.state.liveTurn!)[0]!.rounds[0]!.parts.find(
      (part) => part.type === 'tool-call',
    )!;
    expect(session.state.interrupted).toMatchObject({ at: 'batch', unknown: [hanging.id] });
    expect(session.state.pendingConfirmations).toMatchObject([{ agent: { id: 'b' }, expiresAt: null }]);
    await session.dispose();
  });

  it('agents C51: resume runs `banister.delegate` again; an ended child turn returns without a request, and an open one goes on', async () => {
    const both = callTools(
      { tool: 'banister.delegate', args: { agent: 'a', task: 'Work.' } },
      { tool: 'banister.delegate', args: { agent: 'b', task: 'Work.' } },
    );
    const before = await left([both], {
      domains: [board],
      agents: valueOf([agent('a', [add('A'), say('A is done.')]), agent('b', [add('B'), stall('Half')])]),
    });
    expect(cards.toSorted()).toEqual(['A', 'B']);
    const [a, b] = [agent('a', []), agent('b', [say('B is done.')])];
    const next = await reopened(before, [say('Done.')], { domains: [board], agents: valueOf([a, b]) });
    expect(await next.session.resume()).toMatchObject({ status: 'completed', text: 'Done.' });
    expect([a.asked(), b.asked()]).toEqual([0, 1]);
    expect(cards.toSorted()).toEqual(['A', 'B']);
    const [turn] = next.session.state.turns;
    expect(childrenOf(turn!).map(({ status }) => status)).toEqual(['completed', 'completed']);
    const answers = JSON.stringify(next.provider.requests[0]!.messages);
    for (const text of ['A is done.', 'B is done.']) expect(answers).toContain(text);
    expect(checkOrder([...before, ...next.operations])).toEqual([]);
    await next.session.dispose();
  });

  it('agents C52: the code of a tool with `replay: "safe"` runs again, and its runs find their child turns', async () => {
    const call = callTools({ tool: 'team.flow', args: {} });
    const before = await left([call], {
      domains: [board, flow('safe')],
      agents: valueOf([agent('a', [add('A'), say('one')]), agent('b', [add('B'), stall('Half')])]),
    });
    const [a, b] = [agent('a', []), agent('b', [say('two')])];
    const options = { domains: [board, flow('safe')], agents: valueOf([a, b]) };
    const next = await reopened(before, [say('Done.')], options);
    expect(await next.session.resume()).toMatchObject({ status: 'completed' });
    expect([a.asked(), b.asked()]).toEqual([0, 1]);
    expect(cards).toEqual(['A', 'B']);
    const [turn] = next.session.state.turns;
    expect(childrenOf(turn!).map(({ key, status }) => [key, status])).toEqual([
      ['first', 'completed'],
      ['second', 'completed'],
    ]);
    expect(checkOrder([...before, ...next.operations])).toEqual([]);
    await next.session.dispose();
  });

  it('agents C52: a call of a tool with `replay: "never"` is answered as interrupted, and its open child turns take their effects back', async () => {
    const before = await left([callTools({ tool: 'team.flow', args: {} })], {
      domains: [board, flow('never')],
      agents: valueOf([agent('a', [add('A'), say('one')]), agent('b', [add('B'), stall('Half')])]),
    });
    const [a, b] = [agent('a', []), agent('b', [])];
    const options = { domains: [board, flow('never')], agents: valueOf([a, b]) };
    const next = await reopened(before, [say('Done.')], options);
    expect(await next.session.resume()).toMatchObject({ status: 'completed' });
    expect([a.asked(), b.asked()]).toEqual([0, 0]);
    expect(cards).toEqual(['A']);
    const [turn] = next.session.state.turns;
    expect(childrenOf(turn!)).toMatchObject([{ status: 'completed' }, { status: 'failed' }]);
    const [call] = turn!.rounds[0]!.parts;
    expect(call).toMatchObject({ result: { outcome: 'interrupted' } });
    expect(checkOrder([...before, ...next.operations])).toEqual([]);
    await next.session.dispose();
  });

  it('agents C52: a call of an agent with `replay: "safe"` runs again, and its effect counts once', async () => {
    const again = defineTool({
      name: 'again',
      description: 'Adds the card "A" unless it is there.',
      parameters: { type: 'object' },
      replay: 'safe',
      undo: { revert: () => void cards.splice(cards.indexOf('A'), 1) },
      async execute(_args, { undo }) {
        await undo({ description: 'Added "A"', data: {} });
        if (!cards.includes('A')) cards.push('A');
        if (hangs) await new Promise(() => {});
      },
    });
    let hangs = true;
    const call = callTools({ tool: 'board.again', args: {} });
    const domains: readonly Domain[] = [{ id: 'board', tools: [again] }];
    const before = await left([delegate('a')], { domains, agents: valueOf([agent('a', [call])]) });
    expect(cards).toEqual(['A']);
    hangs = false;
    const agents = valueOf([agent('a', [say('A is done.')])]);
    const next = await reopened(before, [say('Done.')], { domains, agents });
    await next.session.resume();
    const [turn] = next.session.state.turns;
    expect(turn!.effects).toMatchObject([{ description: 'Added "A"', child: childrenOf(turn!)[0]!.id }]);
    expect(cards).toEqual(['A']);
    await next.session.undo();
    expect(cards).toEqual([]);
    expect(checkOrder([...before, ...next.operations])).toEqual([]);
    await next.session.dispose();
  });

  it('agents C54: an agent inside an agent that the next session lacks takes its effects back, and the agent around it goes on', async () => {
    const limits = { maxDepth: 2 };
    const lead = (answers: readonly AnswerSource[]) => {
      const value = agent('lead', answers);
      return { ...value, tools: [] };
    };
    const before = await left([delegate('lead')], {
      domains: [board],
      limits,
      agents: valueOf([lead([delegate('a')]), agent('a', [add('A'), stall('Half')])]),
    });
    expect(cards).toEqual(['A']);
    const agents = valueOf([lead([say('Led.')])]);
    const next = await reopened(before, [say('Done.')], { domains: [board], limits, agents });
    expect(await next.session.resume()).toMatchObject({ status: 'completed' });
    expect(cards).toEqual([]);
    const [turn] = next.session.state.turns;
    expect(childrenOf(turn!)).toMatchObject([
      { agent: 'lead', status: 'completed' },
      { agent: 'a', status: 'failed', outcome: { error: { code: 'interrupted' } } },
    ]);
    expect(checkOrder([...before, ...next.operations])).toEqual([]);
    await next.session.dispose();
  });

  it('agents C54: abandon takes back the effects of all agents', async () => {
    const both = callTools(
      { tool: 'banister.delegate', args: { agent: 'a', task: 'Work.' } },
      { tool: 'banister.delegate', args: { agent: 'b', task: 'Work.' } },
    );
    const options = {
      domains: [board],
      agents: valueOf([agent('a', [add('A'), say('A is done.')]), agent('b', [add('B'), stall('Half')])]),
    };
    const before = await left([both], options);
    const next = await reopened(before, [], options);
    await next.session.abandon();
    expect(cards).toEqual([]);
    const [turn] = next.session.state.turns;
    expect(turn!.status).toBe('failed');
    expect(childrenOf(turn!).map(({ status }) => status)).toEqual(['completed', 'failed']);
    expect(checkOrder([...before, ...next.operations])).toEqual([]);
    await next.session.dispose();
  });
});

describe('an abort with many agents', () => {
  it('agents C36: the session is idle at once, and no leaf of a child turn that has ended follows', async () => {
    const count = 100;
    const names = Array.from({ length: count }, (_, n) => `agent-${n}`);
    const provider = scriptedProvider([], { otherwise: () => stall('Half') });
    await using f = fixture([callTools({ tool: 'team.work', args: { agents: names } })], {
      domains: [team()],
      limits: { maxChildren: count, maxConcurrentRequests: count },
      agents: names.map((id) => defineAgent({ id, role: id, provider })),
    });
    const turn = rejection(f.session.send('Go'));
    for (let i = 0; i < 20; i++) await settle();
    expect(childrenOf(f.session.state.liveTurn!).map(({ phase }) => phase)).toEqual(
      Array(count).fill('streaming'),
    );
    const ended = f.session.cancel({ immediate: true });
    // In the same task: nothing is waited for.
    expect(f.session.state.isRunning).toBe(false);
    const leaves = () => f.observed.operations.filter(({ type }) => type === 'subagent').length;
    const then = leaves();
    await ended;
    expect((await turn).code).toBe('cancelled');
    for (let i = 0; i < 5; i++) await settle();
    expect(leaves()).toBe(then);
    expect(childrenOf(f.session.state.turns[0]!).map(({ status }) => status)).toEqual(
      Array(count).fill('cancelled'),
    );
  });
});
