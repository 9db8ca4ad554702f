// A run of a call that runs again after a reload, and asks for other work than the child turn of the log did.
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
  createAgentSession,
  defineAgent,
  defineTool,
  type Agent,
  type Domain,
  type Operation,
  type ToolContext,
} from '@banister/session';
import { childrenOf, fold, initialState } from '@banister/session/operations';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, rejection } from './fixture.js';
import { opened, recordsOf } from './opened.js';

beforeAll(agentsLoaded);

/** A board whose cards survive its sessions. */
const board = { cards: [] as string[], revision: 0, broken: '' };
const add = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  undo: {
    revert: ({ title }: { readonly title: string }) => {
      if (title === board.broken) throw new Error('The card is stuck.');
      board.cards.splice(board.cards.indexOf(title), 1);
      board.revision++;
    },
    reapply: ({ title }: { readonly title: string }) => {
      board.cards.push(title);
      board.revision++;
    },
  },
  async execute({ title }, { undo }) {
    await undo({ description: `Added "${title}"`, data: { title }, paths: [`cards/${title[0]!}`] });
    board.cards.push(title);
    board.revision++;
  },
});

type Run = ToolContext['run'];

/** What the workflow does now. */
let flow: (run: Run) => Promise<unknown>;
const tool = defineTool({
  name: 'flow',
  description: 'Runs a workflow.',
  parameters: { type: 'object' },
  capabilities: ['readOnly'],
  async execute(_args, { run }) {
    await flow(run);
    return 'done';
  },
});
const domains: readonly Domain[] = [
  { id: 'board', tools: [add], revision: () => board.revision },
  { id: 'work', tools: [tool] },
];

beforeEach(() => {
  Object.assign(board, { cards: [], revision: 0, broken: '' });
});

const agentOf = (id: string, answers: readonly AnswerSource[]): Agent =>
  defineAgent({ id, role: `You are ${id}.`, tools: ['board.add'], provider: scriptedProvider(answers) });
const card = (title: string) => callTools({ tool: 'board.add', args: { title } });
const calling = callTools({ tool: 'work.flow', args: {} });

function open(answers: readonly AnswerSource[], agents: readonly Agent[], before: readonly Operation[] = []) {
  const operations: Operation[] = [];
  const restored = { restored: { snapshot: null, records: recordsOf([before]) } };
  const provider = scriptedProvider(answers);
  const session = createAgentSession({ provider, domains, agents, ...(before.length > 0 && restored) });
  session.operations$.subscribe((operation) => operations.push(operation));
  return { session, operations, provider };
}

/** Leaves a session when its agents have done what the answers say. */
async function left(agents: readonly Agent[]): Promise<readonly Operation[]> {
  const { session, operations } = open([calling], agents);
  session.send('Go').catch(() => {});
  for (let turns = 0; turns < 60; turns++) await settle();
  await session.dispose({ turn: 'leave' });
  return operations;
}

/** Resumes the turn in another session. */
async function resumed(before: readonly Operation[], agents: readonly Agent[]) {
  const next = open([say('Done.')], agents, before);
  await opened(next.session);
  expect(await next.session.resume()).toMatchObject({ status: 'completed' });
  const all = [...before, ...next.operations];
  expect(checkOrder(all)).toEqual([]);
  expect(fold(initialState(), all)).toEqual(next.session.state);
  const result = JSON.stringify(next.provider.requests[0]!.messages.at(-1));
  const children = childrenOf(next.session.state.turns[0]!);
  return { ...next, all, result, children };
}

const ends = (children: ReturnType<typeof childrenOf>) =>
  children.map(({ agent, key, status }) => `${agent} ${key} ${status}`);

describe('a child turn that has ended, and whose run asks for other work', () => {
  const first = async (run: Run) => {
    await run('a', 'Work.', { key: 'one' });
    await run('b', 'Wait.', { key: 'two' });
  };
  const waits = () => agentOf('b', [stall()]);

  it.each([
    ['another input', (run: Run) => run('a', 'Other work.', { key: 'one' }), 'a'],
    ['another agent', (run: Run) => run('c', 'Work.', { key: 'one' }), 'c'],
  ])(
    'agents C53: with %s, its effects are taken back, the run is new, and the model reads it',
    async (_name, other, agent) => {
      flow = first;
      const before = await left([agentOf('a', [card('A1'), card('A2'), say('A is done.')]), waits()]);
      expect(board.cards).toEqual(['A1', 'A2']);
      flow = other;
      const { session, children, result } = await resumed(before, [agentOf(agent, [card('N'), say('New.')])]);
      expect(board.cards).toEqual(['N']);
      expect(ends(children)).toEqual(['a one completed', 'b two failed', `${agent} one completed`]);
      const old = children.find(({ status, rounds }) => status === 'completed' && rounds.length === 3)!;
      const calls = old.rounds.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
      expect(calls.map(({ reverted }) => reverted)).toEqual([true, true]);
      expect(result).toContain(
        String.raw`[agent a: this call ran it before with another task. That work does not count. Taken back: \"Added \\\"A1\\\"\"; \"Added \\\"A2\\\"\".]`,
      );
      expect(session.state.turns[0]!.effects).toMatchObject([{ description: 'Added "N"' }]);
      expect(session.state.undoEntries[0]!.groups).toMatchObject([{ agent, state: 'done' }]);
      await session.undo();
      expect(board.cards).toEqual([]);
      await session.redo();
      expect(board.cards).toEqual(['N']);
      await session.dispose();
    },
  );

  it('agents C53, C15: an effect on which another agent built stays, and the model reads it', async () => {
    flow = async (run) => {
      await run('a', 'Work.', { key: 'one' });
      await run('c', 'Build.', { key: 'three' });
      await run('b', 'Wait.', { key: 'two' });
    };
    const before = await left([
      agentOf('a', [card('A1'), card('X1'), say('A is done.')]),
      agentOf('c', [card('A2'), say('C is done.')]),
      waits(),
    ]);
    flow = async (run) => {
      await run('a', 'Other work.', { key: 'one' });
      await run('c', 'Build.', { key: 'three' });
    };
    const { session, result, operations } = await resumed(before, [
      agentOf('a', [say('New.')]),
      agentOf('c', []),
    ]);
    expect(board.cards).toEqual(['A1', 'A2']);
    expect(result).toContain(
      String.raw`Taken back: \"Added \\\"X1\\\"\". Still there: \"Added \\\"A1\\\"\".`,
    );
    const reports = operations.flatMap((one) =>
      one.type === 'subagent' && one.inner.type === 'rolledBack' ? [one.inner.report] : [],
    );
    expect(reports.find(({ failed }) => failed.length > 0)).toMatchObject({
      done: [{ description: 'Added "X1"' }],
      failed: [{ description: 'Added "A1"', because: { code: 'dependent-stays' } }],
    });
    expect(session.state.turns[0]!.effects.map(({ description }) => description)).toEqual([
      'Added "A1"',
      'Added "A2"',
    ]);
    await session.undo();
    expect(board.cards).toEqual([]);
    await session.dispose();
  });

  it('agents C53: an effect whose revert fails stays in the turn, and the model reads it', async () => {
    flow = first;
    const before = await left([agentOf('a', [card('A1'), say('A is done.')]), waits()]);
    board.broken = 'A1';
    flow = (run) => run('a', 'Other work.', { key: 'one' });
    const { session, result } = await resumed(before, [agentOf('a', [say('New.')])]);
    expect(result).toContain(String.raw`Still there: \"Added \\\"A1\\\"\".`);
    board.broken = '';
    await session.undo();
    expect(board.cards).toEqual([]);
    await session.dispose();
  });

  it('agents C53: one without effects is told of too, and so is one that was open', async () => {
    flow = async (run) => {
      await run('a', 'Work.', { key: 'one' });
      await run('c', 'Wait.', { key: 'two' });
    };
    const before = await left([agentOf('a', [say('A.')]), agentOf('c', [card('C'), stall()])]);
    expect(board.cards).toEqual(['C']);
    flow = (run) => Promise.all([run('a', 'Other.', { key: 'one' }), run('c', 'Other.', { key: 'two' })]);
    const { session, children, result } = await resumed(before, [
      agentOf('a', [say('New.')]),
      agentOf('c', [say('New.')]),
    ]);
    expect(ends(children)).toEqual(['a one completed', 'c two failed', 'a one completed', 'c two completed']);
    expect(result).toContain(
      '[agent a: this call ran it before with another task. That work does not count.]',
    );
    expect(result).toContain(String.raw`does not count. Taken back: \"Added \\\"C\\\"\".]`);
    expect(board.cards).toEqual([]);
    await session.dispose();
  });

  it('agents C53: a call whose runs ask for the same work gets no line', async () => {
    flow = first;
    const before = await left([agentOf('a', [card('A1'), say('A is done.')]), waits()]);
    const { session, result, children } = await resumed(before, [
      agentOf('a', []),
      agentOf('b', [say('B.')]),
    ]);
    expect(board.cards).toEqual(['A1']);
    expect(result).not.toContain('another task');
    expect(children).toHaveLength(2);
    await session.dispose();
  });

  it('agents C53, C55: killed after any operation of this, the next session ends it, and the effects are as they should be', async () => {
    flow = first;
    const before = await left([agentOf('a', [card('A1'), card('A2'), say('A is done.')]), waits()]);
    flow = (run) => run('a', 'Other work.', { key: 'one' });
    const whole = await resumed(before, [agentOf('a', [card('N'), say('New.')])]);
    await whole.session.dispose();
    const own = whole.operations.findIndex(({ type }) => type === 'effectReverted');
    const upTo = whole.operations.findIndex(
      (one) => one.type === 'subagent' && one.inner.type === 'messagesAppended' && one.path[0] !== undefined,
    );
    expect(own).toBeGreaterThan(0);
    expect(upTo).toBeGreaterThan(own);
    for (let cut = own - 1; cut <= upTo; cut++) {
      const kept = whole.operations.slice(0, cut + 1);
      const left = new Set(['A1', 'A2']);
      for (const { type } of kept) if (type === 'effectReverted') left.delete([...left].at(-1)!);
      board.cards = [...left];
      const { session, result } = await resumed(
        [...before, ...kept],
        [agentOf('a', [card('N'), say('New.')])],
      );
      expect(board.cards, `after ${kept.at(-1)!.type}`).toEqual(['N']);
      expect(result).toContain(String.raw`Taken back: \"Added \\\"A1\\\"\"; \"Added \\\"A2\\\"\".`);
      await session.dispose();
    }
  });
});

describe('the number of a run', () => {
  it('agents 5.13: is no key of the app, and both may have the same text', async () => {
    const names: string[] = [];
    flow = async (run) => {
      for (const key of ['2', undefined, '1', undefined, 'x'])
        names.push((await run('a', `Key ${key}.`, { key })).text);
      expect((await rejection(run('a', 'Again.', { key: '2' }))).code).toBe('invalid-configuration');
      await run('b', 'Wait.', {});
    };
    const before = await left([
      agentOf(
        'a',
        ['1', '2', '3', '4', '5'].map((text) => say(text)),
      ),
      agentOf('b', [stall()]),
    ]);
    names.length = 0;
    const { children, session } = await resumed(before, [agentOf('a', []), agentOf('b', [say('B.')])]);
    expect(names).toEqual(['1', '2', '3', '4', '5']);
    expect(children.map(({ key, given = false }) => [key, given])).toEqual([
      ['2', true],
      ['2', false],
      ['1', true],
      ['4', false],
      ['x', true],
      ['6', false],
    ]);
    await session.dispose();
  });

  it('agents C51: a run without a key of the app finds its child turn by its number, and the number has no mark', async () => {
    flow = async (run) => {
      await run('a', 'Work.');
      await run('b', 'Wait.');
    };
    const before = await left([agentOf('a', [say('A.')]), agentOf('b', [stall()])]);
    const starts = before.flatMap((one) =>
      one.type === 'subagent' && one.inner.type === 'turnStarted' ? [one.inner] : [],
    );
    expect(starts.map(({ key, given }) => [key, given])).toEqual([
      ['1', undefined],
      ['2', undefined],
    ]);
    const { children, session } = await resumed(before, [agentOf('a', []), agentOf('b', [say('B.')])]);
    expect(ends(children)).toEqual(['a 1 completed', 'b 2 completed']);
    await session.dispose();
  });

  it('a saved conversation keeps the mark of a key', async () => {
    flow = (run) => run('a', 'Work.', { key: '2' });
    await using f = fixture([calling, say('Done.')], { domains, agents: [agentOf('a', [say('A.')])] });
    await f.session.send('Go');
    const saved = JSON.parse(JSON.stringify(f.session.save())) as ReturnType<typeof f.session.save>;
    const next = createAgentSession({ provider: scriptedProvider([]), conversation: saved });
    expect(childrenOf(next.state.turns[0]!)).toMatchObject([{ key: '2', given: true }]);
    await next.dispose();
  });
});
