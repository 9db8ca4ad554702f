// Child turns: turns of agents that run inside a call of another turn.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  callTools,
  fail,
  say,
  scriptedProvider,
  settle,
  stall,
  type ScriptedAnswer,
} from '@banister/testing';
import {
  confirmTools,
  defineAgent,
  defineTool,
  type Agent,
  type Domain,
  type RunResult,
} from '@banister/session';
import { childrenOf, usageByAgent } from '@banister/session/operations';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, rejection, type FixtureOptions } from './fixture.js';

beforeAll(agentsLoaded);

/** A board with a tool that adds a card, and tools that run agents. */
function board() {
  const cards: string[] = [];
  const results: RunResult[] = [];
  const add = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    execute({ title }, { undo }) {
      cards.push(title);
      undo({
        description: `Added "${title}"`,
        paths: [`cards/${title}`],
        revert: () => void cards.splice(cards.indexOf(title), 1),
        reapply: () => void cards.push(title),
      });
      return 'added';
    },
  });
  const work = defineTool({
    name: 'work',
    description: 'Lets agents work.',
    parameters: { type: 'object', properties: { agents: { type: 'array', items: { type: 'string' } } } },
    capabilities: ['readOnly'],
    async execute({ agents = [] }, { run }) {
      const ended = await Promise.all((agents as string[]).map((agent) => run(agent, `Work, ${agent}.`)));
      results.push(...ended);
      return ended.map(({ status, text }) => `${status}: ${text}`).join('\n');
    },
  });
  const domains: readonly Domain[] = [{ id: 'board', tools: [add, work] }];
  return { cards, results, domains };
}

const agent = (id: string, answers: Parameters<typeof scriptedProvider>[0]): Agent =>
  defineAgent({ id, role: `You are ${id}.`, tools: ['board.add'], provider: scriptedProvider(answers) });

const addCard = (title: string) => callTools({ tool: 'board.add', args: { title } });
const delegate = (...agents: readonly string[]) => callTools({ tool: 'board.work', args: { agents } });

describe('a child turn', () => {
  it('agents C1, C2, C12: runs in a call, and its effects are undone with the turn', async () => {
    const { cards, results, domains } = board();
    await using f = fixture([delegate('a'), say('Done.')], {
      domains,
      agents: [agent('a', [addCard('A'), say('I added a card.')])],
    });
    await f.session.send('Go');
    expect(results[0]).toMatchObject({ status: 'completed', text: 'I added a card.', rounds: 2 });
    expect(cards).toEqual(['A']);
    const { turns, conversation, undoEntries } = f.session.state;
    expect(turns[0]!.effects).toMatchObject([{ description: 'Added "A"', child: results[0]!.id }]);
    expect(conversation.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(undoEntries).toHaveLength(1);
    await f.session.undo();
    expect(cards).toEqual([]);
    await f.session.redo();
    expect(cards).toEqual(['A']);
  });

  it('agents C4, C13, C21: agents work side by side, and their effects are taken back in reverse order', async () => {
    const { cards, results, domains } = board();
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains,
      agents: [agent('a', [addCard('A1'), addCard('A2'), say('A.')]), agent('b', [addCard('B1'), say('B.')])],
    });
    await f.session.send('Go');
    const [call] = f.session.state.turns[0]!.rounds[0]!.parts.filter((part) => part.type === 'tool-call');
    expect(call!.children!.map(({ agent: id, status, phase }) => [id, status, phase])).toEqual([
      ['a', 'completed', 'idle'],
      ['b', 'completed', 'idle'],
    ]);
    expect(results.map(({ effects }) => effects.length)).toEqual([2, 1]);
    expect(f.session.state.budget.toolCalls.spent).toBe(4);
    await f.session.undo();
    expect(cards).toEqual([]);
  });

  it('agents C6, C14: a child turn that fails takes its effects back, and ends neither its siblings nor the turn', async () => {
    const { cards, results, domains } = board();
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains,
      agents: [agent('a', [addCard('A'), fail('auth')]), agent('b', [addCard('B'), say('B.')])],
      reportsErrors: true,
    });
    await f.session.send('Go');
    expect(results.map(({ status }) => status)).toEqual(['failed', 'completed']);
    expect(results[0]!.report!.done).toMatchObject([{ description: 'Added "A"' }]);
    expect(cards).toEqual(['B']);
    expect(f.session.state.turns[0]!.effects).toMatchObject([{ description: 'Added "B"' }]);
    await f.session.undo();
    expect(cards).toEqual([]);
    await f.session.redo();
    expect(cards).toEqual(['B']);
  });

  it('agents C27, C28: questions of child turns are open side by side, each with its agent', async () => {
    const { cards, results, domains } = board();
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains,
      guards: [confirmTools('board.add')],
      agents: [agent('a', [addCard('A'), say('A.')]), agent('b', [addCard('B'), say('B.')])],
    });
    const turn = f.session.send('Go');
    await settle();
    const { pendingConfirmations, phase } = f.session.state;
    expect(pendingConfirmations.map((request) => request.agent?.id)).toEqual(['a', 'b']);
    expect(phase).toBe('confirming');
    await f.session.respond(pendingConfirmations[1]!.id, { approve: true });
    await settle();
    expect(cards).toEqual(['B']);
    expect(f.session.state.pendingConfirmations.map((request) => request.agent?.id)).toEqual(['a']);
    await f.session.respond(pendingConfirmations[0]!.id, { approve: false });
    await turn;
    expect(cards).toEqual(['B']);
    expect(results.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it.each([{ immediate: false }, { immediate: true }])(
    'agents C7, C16, C33: a cancel of the turn ends its child turns, and there is one rollback, $immediate',
    async ({ immediate }) => {
      const { cards, domains } = board();
      await using f = fixture([delegate('a', 'b')], {
        domains,
        looseScript: true,
        agents: [agent('a', [addCard('A'), stall()]), agent('b', [addCard('B'), stall()])],
      });
      const turn = f.session.send('Go');
      turn.catch(() => {});
      await settle();
      expect(cards).toEqual(['A', 'B']);
      const report = await f.session.cancel({ immediate });
      expect(report.undo.done).toHaveLength(2);
      expect(cards).toEqual([]);
      const [call] = f.session.state.turns[0]!.rounds[0]!.parts.filter((part) => part.type === 'tool-call');
      expect(call!.children!.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    },
  );

  it('agents C41: a limit of the agent stops the child turn, which keeps what it did', async () => {
    const { cards, results, domains } = board();
    await using f = fixture([delegate('a'), say('Done.')], {
      domains,
      agents: [{ ...agent('a', [addCard('A'), addCard('B'), say('A.')]), limits: { maxRounds: 1 } }],
      looseScript: true,
    });
    await f.session.send('Go');
    expect(results).toMatchObject([{ status: 'stopped', stop: { limit: { code: 'max-rounds' } } }]);
    expect(cards).toEqual(['A']);
    expect(f.session.state.turns[0]!.status).toBe('completed');
  });

  it('agents C45, C46: the usage of a turn includes its child turns, live and at its end', async () => {
    const { results, domains } = board();
    const usage = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 1 } });
    await using f = fixture([delegate('a', 'b'), say('Done.', usage(100))], {
      domains,
      agents: [agent('a', [say('A.', usage(10))]), agent('b', [addCard('B'), say('B.', usage(20))])],
    });
    const live: unknown[] = [];
    f.session.operations$.subscribe(() => live.push(f.session.state.lastUsageReport?.inputTokens));
    await f.session.send('Go');
    expect(results.map((result) => result.usage?.inputTokens)).toEqual([10, 20]);
    expect(live).toEqual(expect.arrayContaining([10, 30, 130]));
    const { lastUsageReport, totals, turns, budget } = f.session.state;
    for (const report of [lastUsageReport, totals.usage, turns[0]!.outcome!.usage])
      expect(report).toEqual({ inputTokens: 130, outputTokens: 3 });
    expect(budget).toMatchObject({ tokens: { spent: 133 }, toolCalls: { spent: 2 } });
    expect(usageByAgent(turns[0]!).map(({ agent: id, usage: own }) => [id, own?.inputTokens])).toEqual([
      [null, 100],
      ['a', 10],
      ['b', 20],
    ]);
  });

  it('agents C7: a session that is disposed leaves no timer and no open answer of its child turns', async () => {
    const { domains } = board();
    let aborted = 0;
    const open = scriptedProvider([], { otherwise: () => stall('Half') });
    const provider: Agent['provider'] = {
      ...open,
      stream: (request, signal) => {
        signal.addEventListener('abort', () => aborted++);
        return open.stream(request, signal);
      },
    };
    const agents = ['a', 'b'].map((id) => defineAgent({ id, role: id, provider }));
    await using f = fixture([delegate('a', 'b')], { domains, agents });
    const turn = rejection(f.session.send('Go'));
    await settle();
    expect(childrenOf(f.session.state.liveTurn!).map(({ phase }) => phase)).toEqual([
      'streaming',
      'streaming',
    ]);
    await f.session.dispose();
    expect((await turn).code).toBe('cancelled');
    expect(aborted).toBe(2);
    expect(f.clock.pending).toBe(0);
  });

  it('agents K10: a turn whose model is overloaded after a child turn has completed waits for its model', async () => {
    const { cards, domains } = board();
    await using f = fixture(
      [delegate('a'), ...Array<ScriptedAnswer>(4).fill(fail('overloaded')), say('Done.')],
      {
        domains,
        agents: [agent('a', [addCard('A'), say('A.')])],
        limits: { maxRetries: 3 },
      },
    );
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(60_000);
    expect((await turn).code).toBe('overloaded');
    expect(cards).toEqual(['A']);
    expect(f.session.state.interrupted).toMatchObject({ at: 'stream', error: { code: 'overloaded' } });
    expect((await rejection(f.session.send('More'))).code).toBe('interrupted');
    await f.session.resume();
    expect(f.session.state.turns).toMatchObject([{ status: 'completed' }]);
    await f.session.undo();
    expect(cards).toEqual([]);
  });
});

it.each([
  ['conversation', ['Hello', 'Hi.', 'Go', 'Work, a.']],
  ['nothing', ['Work, a.']],
] as const)('agents C2: a child turn that reads `%s` sees these texts', async (reads, texts) => {
  const seen: string[] = [];
  const flow = defineTool({
    name: 'flow',
    description: 'Lets an agent work.',
    parameters: { type: 'object' },
    capabilities: ['readOnly'],
    execute: async (_args, { run }) => (await run('a', 'Work, a.', { reads })).text,
  });
  const answer: Parameters<typeof scriptedProvider>[0][number] = ({ messages }) => {
    seen.push(
      ...messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))),
    );
    return say('A.');
  };
  await using f = fixture([say('Hi.'), callTools({ tool: 'team.flow', args: {} }), say('Done.')], {
    domains: [{ id: 'team', tools: [flow] }],
    agents: [defineAgent({ id: 'a', role: 'You work.', provider: scriptedProvider([answer]) })],
  });
  await f.session.send('Hello');
  await f.session.send('Go');
  expect(seen).toEqual(texts);
});

describe('a thread', () => {
  const parameters = {
    type: 'object',
    properties: { times: { type: 'number' } },
    required: ['times'],
  } as const;
  /** A tool that runs one agent several times in one thread, side by side or one after the other. */
  const talk = (isInTurn: boolean, errors: unknown[]) =>
    defineTool({
      name: 'talk',
      description: 'Talks with an agent.',
      parameters,
      capabilities: ['readOnly'],
      async execute({ times }, { run }) {
        const texts: string[] = [];
        const runs = Array.from({ length: times }, (_, n) => () => run('a', `Part ${n}`, { thread: 'talk' }));
        if (isInTurn) for (const one of runs) texts.push((await one()).text);
        else
          for (const one of await Promise.allSettled(runs.map((start) => start())))
            if (one.status === 'fulfilled') texts.push(one.value.text);
            else errors.push(one.reason);
        return texts;
      },
    });

  it('agents C9: is continued by the next child turn of the agent, in the same turn and in the next one', async () => {
    const provider = scriptedProvider([say('One.'), say('Two.'), say('Three.')]);
    const call = (times: number) => callTools({ tool: 'team.talk', args: { times } });
    await using f = fixture([call(2), say('Done.'), call(1), say('Done.')], {
      domains: [{ id: 'team', tools: [talk(true, [])] }],
      agents: [defineAgent({ id: 'a', role: 'a', provider })],
    });
    await f.session.send('Go');
    await f.session.send('More');
    const read = provider.requests.map(({ messages }) =>
      messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))),
    );
    expect(read).toEqual([
      ['Part 0'],
      ['Part 0', 'One.', 'Part 1'],
      ['Part 0', 'One.', 'Part 1', 'Two.', 'Part 0'],
    ]);
  });

  it('agents C9: two open child turns of one thread are refused', async () => {
    const errors: unknown[] = [];
    await using f = fixture([callTools({ tool: 'team.talk', args: { times: 2 } }), say('Done.')], {
      domains: [{ id: 'team', tools: [talk(false, errors)] }],
      agents: [defineAgent({ id: 'a', role: 'a', provider: scriptedProvider([say('One.')]) })],
    });
    await f.session.send('Go');
    expect(errors).toMatchObject([{ code: 'invalid-configuration' }]);
    expect(childrenOf(f.session.state.turns[0]!)).toHaveLength(1);
  });
});

describe('cancel of one child turn', () => {
  /** A session with two agents, of which the first has added a card and waits. */
  async function waiting(answer: ScriptedAnswer, options: Partial<FixtureOptions> = {}) {
    const app = board();
    const f = fixture([delegate('a', 'b'), say('Done.')], {
      domains: app.domains,
      looseScript: true,
      agents: [agent('a', [addCard('A'), answer]), agent('b', [addCard('B'), say('B.')])],
      ...options,
    });
    const turn = f.session.send('Go');
    await settle();
    const { liveTurn, turns } = f.session.state;
    const child = childrenOf(liveTurn ?? turns[0]!)[0]!.id;
    return { ...app, f, turn, child };
  }

  it.each([{ immediate: false }, { immediate: true }])(
    'agents C34, C35: its effects are taken back, and its siblings go on, $immediate',
    async ({ immediate }) => {
      const { f, turn, child, cards, results } = await waiting(stall('Half'));
      await using _ended = f;
      const report = await f.session.cancel({ child, immediate });
      expect(report).toMatchObject({ cancelled: true, landed: 'streaming' });
      expect(report.undo.done).toMatchObject([{ description: 'Added "A"', child }]);
      expect(cards).toEqual(['B']);
      await turn;
      expect(results.map(({ status, text }) => [status, text])).toEqual([
        ['cancelled', 'Half'],
        ['completed', 'B.'],
      ]);
      expect(f.session.state.turns).toMatchObject([
        { status: 'completed', effects: [{ description: 'Added "B"' }] },
      ]);
    },
  );

  it('agents C34: with `keep`, its effects stay in the turn', async () => {
    const { f, turn, child, cards } = await waiting(stall());
    await using _ended = f;
    await f.session.cancel({ child, sideEffects: 'keep' });
    await turn;
    expect(cards).toEqual(['A', 'B']);
    await f.session.undo();
    expect(cards).toEqual([]);
  });

  it('agents C34: a child turn that asks denies its question, and the other questions stay', async () => {
    const { f, turn, child } = await waiting(say('A.'), { guards: [confirmTools('board.add')] });
    await using _ended = f;
    expect(f.session.state.pendingConfirmations).toHaveLength(2);
    await f.session.cancel({ child });
    const { pendingConfirmations } = f.session.state;
    expect(pendingConfirmations.map((request) => request.agent!.id)).toEqual(['b']);
    await f.session.respond(pendingConfirmations[0]!.id, { approve: true });
    await turn;
  });

  it('agents C34: does nothing for a child turn that has ended, and for an unknown child turn', async () => {
    const { f, turn, child } = await waiting(say('A.'));
    await using _ended = f;
    await turn;
    for (const id of [child, 'turn_99'])
      expect(await f.session.cancel({ child: id })).toMatchObject({ cancelled: false });
    expect(f.session.state.turns).toMatchObject([{ status: 'completed' }]);
  });

  it('agents C15: an effect on which an effect of another agent depends stays', async () => {
    const app = board();
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains: app.domains,
      looseScript: true,
      agents: [agent('a', [addCard('A'), stall()]), agent('b', [addCard('A/part'), say('B.')])],
    });
    const turn = f.session.send('Go');
    await settle();
    const { undo } = await f.session.cancel({ child: childrenOf(f.session.state.liveTurn!)[0]!.id });
    expect(undo.failed).toMatchObject([{ description: 'Added "A"', because: { code: 'dependent-stays' } }]);
    await turn;
    expect(app.cards).toEqual(['A', 'A/part']);
    await f.session.undo();
    expect(app.cards).toEqual([]);
  });
});
