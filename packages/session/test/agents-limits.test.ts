// Limits and clocks of a turn with agents, and bad input of runs.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  callTools,
  gate,
  gatedTool,
  say,
  scriptedProvider,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import {
  confirmTools,
  createAgentSession,
  defaultLimits,
  defineAgent,
  defineTool,
  type Agent,
  type AgentSessionError,
  type Domain,
  type RunResult,
  type ToolContext,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { add, delegate, pathBoard, team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, rejection, resultTexts } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

beforeAll(agentsLoaded);

const agent = (id: string, answers: readonly AnswerSource[], more: Partial<Agent> = {}): Agent =>
  defineAgent({ id, role: id, tools: ['board', 'team'], provider: scriptedProvider(answers), ...more });

describe('the clock of a turn with agents', () => {
  it('agents C39: stands while every agent waits for the user, and runs while one of them works', async () => {
    const { domain } = pathBoard();
    await using f = fixture([delegate('asks', 'works'), say('Done.')], {
      domains: [domain, team()],
      guards: [confirmTools('board.add')],
      limits: { timeoutMs: 1_000, confirmationTimeoutMs: 600_000 },
      agents: [agent('asks', [add('A'), say('A.')]), agent('works', [stall('Half an ans')])],
    });
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.state.pendingConfirmations).toHaveLength(1);
    await f.clock.advance(400);
    const works = childrenOf(f.session.state.liveTurn!).find((child) => child.agent === 'works')!;
    await f.session.cancel({ child: works.id });
    await settle();
    // Only the agent that asks is left.
    await f.clock.advance(100_000);
    expect(f.session.state.liveTurn).not.toBeNull();
    await f.session.respond(f.session.state.pendingConfirmations[0]!.id, { approve: true });
    expect(await turn).toMatchObject({ status: 'completed' });
    expect(f.session.state.budget.timeMs.spent).toBe(400);
  });

  it('agents C39: the time of a turn in which every agent works counts once', async () => {
    const { domain } = pathBoard();
    const [first, second] = [gate(), gate()];
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains: [domain, team()],
      agents: [agent('a', [say([first, 'A.'])]), agent('b', [say([second, 'B.'])])],
    });
    const turn = f.session.send('Go');
    await Promise.all([first.reached, second.reached]);
    await f.clock.advance(300);
    first.open();
    second.open();
    await turn;
    expect(f.session.state.budget.timeMs.spent).toBe(300);
  });

  it('agents C39: an agent that has ended has no part of the clock: a later question of the turn costs no time', async () => {
    const { domain } = pathBoard();
    const half = gate();
    await using f = fixture([delegate('a'), add('Own'), say('Done.')], {
      domains: [domain, team()],
      guards: [confirmTools('board.add')],
      limits: { timeoutMs: 1_000, confirmationTimeoutMs: 600_000 },
      agents: [agent('a', [say([half, 'A.'])])],
    });
    const turn = f.session.send('Go');
    await half.reached;
    await f.clock.advance(200);
    half.open();
    await settle();
    const [question] = f.session.state.pendingConfirmations;
    expect(question).not.toHaveProperty('agent');
    await f.clock.advance(100_000);
    await f.session.respond(question!.id, { approve: true });
    expect(await turn).toMatchObject({ status: 'completed' });
    expect(f.session.state.budget.timeMs.spent).toBe(200);
  });

  it("agents C43: a call's own time stands still while a child turn runs in it", async () => {
    const { domain } = pathBoard();
    const half = gate();
    const slow = defineTool({
      name: 'slow',
      description: 'Lets an agent work.',
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      timeoutMs: 1_000,
      execute: async (_args, { run }) => (await run('a', 'Work.')).text,
    });
    await using f = fixture([callTools({ tool: 'team.slow', args: {} }), say('Done.')], {
      domains: [domain, { id: 'team', tools: [slow] }],
      agents: [agent('a', [say([half, 'A.'])])],
    });
    const turn = f.session.send('Go');
    await half.reached;
    await f.clock.advance(5_000);
    half.open();
    await turn;
    expect(resultTexts(f.session.conversation.value)).toEqual(['A.']);
  });
});

describe('the limits of child turns', () => {
  it('agents C40: have these defaults', () => {
    expect(defaultLimits).toMatchObject({
      maxChildren: 16,
      maxDepth: 1,
      maxConcurrentRequests: 4,
      maxChildRecord: 16_384,
    });
  });

  it('agents C40: one more child turn than `maxChildren`, at any depth, is a failed run, and ends nothing', async () => {
    const { domain } = pathBoard();
    const results: RunResult[] = [];
    await using f = fixture([delegate('lead'), delegate('b'), say('Done.')], {
      domains: [domain, team(results)],
      limits: { maxChildren: 2, maxDepth: 2 },
      agents: [agent('lead', [delegate('a'), say('Led.')]), agent('a', [say('A.')]), agent('b', [])],
    });
    expect(await f.session.send('Go')).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(results).toMatchObject([
      { status: 'completed' },
      { status: 'completed' },
      { status: 'failed', error: { code: 'max-children', details: { limit: 2 } } },
    ]);
    expect(childrenOf(f.session.state.turns[0]!).map((child) => child.agent)).toEqual(['lead', 'a']);
  });

  it('agents C40: a run deeper than `maxDepth` is a failed run, and ends nothing', async () => {
    const results: RunResult[] = [];
    await using f = fixture([delegate('lead'), say('Done.')], {
      domains: [team(results)],
      agents: [
        agent('lead', [delegate('a'), say('Led.')], { tools: ['team'] }),
        agent('a', [], { tools: [] }),
      ],
    });
    await f.session.send('Go');
    expect(results).toMatchObject([
      { status: 'failed', error: { code: 'max-depth', details: { limit: 1 } } },
      { status: 'completed', text: 'Led.' },
    ]);
  });

  it('agents C8: an agent is offered `banister.delegate` only above the limit `maxDepth`', async () => {
    const asked: Record<string, readonly string[]> = {};
    const noting = (id: string, answers: readonly AnswerSource[]): AnswerSource[] =>
      answers.map((answer) => (request) => {
        asked[id] = request.tools.map(({ name }) => name);
        return answer as ReturnType<typeof say>;
      });
    const task = (to: string) => callTools({ tool: 'banister.delegate', args: { agent: to, task: 'Work.' } });
    await using f = fixture(noting('root', [task('lead'), say('Done.')]), {
      limits: { maxDepth: 2 },
      agents: [
        agent('lead', noting('lead', [task('a'), say('Led.')]), { tools: [], description: 'Leads.' }),
        agent('a', noting('a', [say('A.')]), { tools: [], description: 'Works.' }),
      ],
    });
    await f.session.send('Go');
    expect(asked).toEqual({ root: ['banister.delegate'], lead: ['banister.delegate'], a: [] });
  });

  it('agents C8: `generate` is offered no `banister.delegate`', async () => {
    const names: string[][] = [];
    const answer: AnswerSource = (request) => {
      names.push(request.tools.map(({ name }) => name));
      return say('{"n":1}');
    };
    await using f = fixture([answer], {
      agents: [agent('a', [], { tools: [], description: 'Works.' })],
    });
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    expect(await f.session.generate('Count.', schema)).toEqual({ n: 1 });
    expect(names.flat()).not.toContain('banister.delegate');
  });

  it('agents C44: the third equal call of `banister.delegate` is answered by the fuse, and each agent counts its own calls', async () => {
    const task = callTools({ tool: 'banister.delegate', args: { agent: 'a', task: 'Look.' } });
    const look: Domain = {
      id: 'board',
      tools: [
        defineTool({
          name: 'look',
          description: 'Looks.',
          parameters: { type: 'object' },
          capabilities: ['readOnly'],
          execute: () => 'nothing',
        }),
      ],
    };
    const looks = callTools({ tool: 'board.look', args: {} });
    await using f = fixture([task, task, task, say('Done.')], {
      domains: [look],
      agents: [
        agent('a', [looks, looks, say('One.'), looks, looks, say('Two.')], {
          tools: ['board'],
          description: 'Looks.',
        }),
      ],
    });
    await f.session.send('Go');
    const turn = f.session.state.turns[0]!;
    expect(childrenOf(turn).map(({ status }) => status)).toEqual(['completed', 'completed']);
    const third = turn.rounds[2]!.parts.find((part) => part.type === 'tool-call')!;
    expect(third).toMatchObject({ rejection: 'repeated', result: { outcome: 'rejected' } });
    const inside = childrenOf(turn).flatMap((child) =>
      child.rounds.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call')),
    );
    expect(inside.map((part) => part.result?.outcome)).toEqual(Array(4).fill('success'));
  });
});

describe('bad input of a run', () => {
  /** Calls a tool that runs agents in this way, and returns what the tool throws. */
  async function thrownBy(runs: (run: ToolContext['run']) => Promise<unknown>) {
    let thrown: unknown;
    const flow = defineTool({
      name: 'flow',
      description: 'Runs agents.',
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      async execute(_args, { run }) {
        try {
          await runs(run);
        } catch (error) {
          thrown = error;
        }
      },
    });
    await using f = fixture([callTools({ tool: 'team.flow', args: {} }), say('Done.')], {
      domains: [{ id: 'team', tools: [flow] }],
      looseScript: true,
      agents: [agent('a', [say('A.'), say('B.')], { tools: [] })],
    });
    expect(await f.session.send('Go')).toMatchObject({ status: 'completed' });
    expect(childrenOf(f.session.state.turns[0]!).every(({ status }) => status === 'completed')).toBe(true);
    return thrown;
  }

  it.each<[string, (run: ToolContext['run']) => Promise<unknown>, string]>([
    ['an unknown agent', (run) => run('b', 'Work.'), 'invalid-configuration'],
    [
      'a key that is used twice in one call',
      async (run) => {
        await run('a', 'Work.', { key: 'one' });
        await run('a', 'More.', { key: 'one' });
      },
      'invalid-configuration',
    ],
    ['an unknown option', (run) => run('a', 'Work.', { keys: 'one' } as never), 'invalid-configuration'],
    ['an empty thread', (run) => run('a', 'Work.', { thread: '' }), 'invalid-configuration'],
    ['a negative limit', (run) => run('a', 'Work.', { limits: { maxRounds: -1 } }), 'invalid-configuration'],
    ['an input that is no text', (run) => run('a', 5 as never), 'invalid-input'],
    ['an empty input', (run) => run('a', ''), 'invalid-input'],
    [
      'an input with files',
      (run) => run('a', { text: 'Read.', files: [new File(['x'], 'x.txt')] }),
      'unsupported',
    ],
    ['a signal that has fired', (run) => run('a', 'Work.', { signal: AbortSignal.abort() }), 'cancelled'],
  ])('agents 5.13: %s rejects, and starts no child turn', async (_name, runs, code) => {
    expect(await thrownBy(runs)).toMatchObject({ code });
  });

  it('agents 5.13: a run after the end of its call rejects `cancelled`', async () => {
    let late: ToolContext['run'] | undefined;
    const flow = defineTool({
      name: 'flow',
      description: 'Keeps its context.',
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      execute: (_args, { run }) => void (late = run),
    });
    await using f = fixture([callTools({ tool: 'team.flow', args: {} }), say('Done.')], {
      domains: [{ id: 'team', tools: [flow] }],
      agents: [agent('a', [], { tools: [] })],
    });
    await f.session.send('Go');
    expect((await rejection(late!('a', 'Work.'))).code).toBe('cancelled');
  });

  it('agents 5.13: a limit of an agent above the limit of the turn does not raise it', async () => {
    const tool = gatedTool('write', { capabilities: ['readOnly'] });
    await using f = fixture([delegate('a'), say('Done.')], {
      domains: [{ id: 'board', tools: [tool] }, team()],
      limits: { maxRounds: 2 },
      agents: [
        agent(
          'a',
          [
            callTools({ tool: 'board.write', args: { n: 1 } }),
            callTools({ tool: 'board.write', args: { n: 2 } }),
          ],
          {
            limits: { maxRounds: 9 },
          },
        ),
      ],
    });
    const turn = f.session.send('Go');
    for (let i = 0; i < 3; i++) {
      await settle();
      for (const run of tool.runs) if (!run.settled) run.settle();
    }
    await turn;
    expect(childrenOf(f.session.state.turns[0]!)).toMatchObject([
      { status: 'stopped', outcome: { rounds: 2, stop: { limit: { code: 'max-rounds' } } } },
    ]);
  });
});

describe('a limit that ends the turn while its agents work', () => {
  /** A turn with the agents `lead` and `b`; `lead` runs the agent `a`. Each of the three adds a card. Then `a` and `b` wait for their models. */
  const nested = (onTrip: 'stop' | 'fail' | 'ask') => {
    const { domain, cards } = pathBoard();
    const f = fixture([delegate('lead', 'b'), say('Done.')], {
      domains: [domain, team()],
      limits: { timeoutMs: 1_000, onTrip, maxDepth: 2, confirmationTimeoutMs: 600_000 },
      looseScript: true,
      agents: [
        agent('lead', [add('L'), delegate('a'), say('Led.')]),
        agent('a', [add('A'), stall('Half a')]),
        agent('b', [add('B'), stall('Half b')]),
      ],
    });
    /** Resolves when all agents have acted. */
    const acted = () => vi.waitFor(() => expect(cards).toHaveLength(3), 10_000);
    return { f, cards, acted };
  };
  const outcomes = (f: ReturnType<typeof fixture>) =>
    childrenOf(f.session.state.turns[0]!).map(({ agent, status, outcome, effects }) => [
      agent,
      status,
      outcome?.stop?.limit?.code,
      effects.map(({ description }) => description).join(),
    ]);
  const stopped = [
    ['lead', 'stopped', 'timeout', 'L,A'],
    ['a', 'stopped', 'timeout', 'A'],
    ['b', 'stopped', 'timeout', 'B'],
  ];

  it('agents C41: the time of the turn stops them, the deepest first, and they keep what they did', async () => {
    const { f, cards, acted } = nested('stop');
    await using _f = f;
    const ended: string[] = [];
    f.session.operations$.subscribe((one) => {
      if (one.type === 'subagent' && one.inner.type === 'stopped') ended.push(one.path.join('/'));
    });
    const turn = f.session.send('Go');
    await acted();
    await settle();
    await f.clock.advance(1_000);
    expect(await turn).toMatchObject({ status: 'stopped', stop: { limit: { code: 'timeout' } } });
    expect(outcomes(f).toSorted()).toEqual(stopped.toSorted());
    expect(f.session.state.turns[0]!.effects.map(({ description }) => description).toSorted()).toEqual([
      'A',
      'B',
      'L',
    ]);
    const of = (path: string) => ended.findIndex((one) => one === path);
    for (const path of ended) if (path.includes('/')) expect(of(path)).toBeLessThan(of(path.split('/')[0]!));
    expect(ended).toHaveLength(3);
    await settle();
    const saved = JSON.stringify(f.session.save());
    expect(saved).toContain('"above":true');
    const open = (text: string) =>
      createAgentSession({ provider: scriptedProvider([]), conversation: JSON.parse(text) as never });
    expect(() => open(saved.replace('"above":true', '"above":7'))).toThrow('above');
    await f.session.undo();
    expect(cards).toEqual([]);
  });

  it('agents C41: a turn that fails with its time takes back what the agents did, which are stopped', async () => {
    const { f, cards, acted } = nested('fail');
    await using _f = f;
    const turn = rejection(f.session.send('Go'));
    await acted();
    await settle();
    await f.clock.advance(1_000);
    expect(await turn).toMatchObject({ code: 'timeout' });
    expect(outcomes(f).toSorted()).toEqual(stopped.toSorted());
    expect(cards).toEqual([]);
    expect(f.session.state.turns[0]!.outcome?.report?.done).toHaveLength(3);
  });

  it('agents C41, C42: a user who gives no more time stops them, and a user who gives more does not', async () => {
    const { f, acted } = nested('ask');
    await using _f = f;
    const turn = f.session.send('Go');
    await acted();
    await settle();
    await f.clock.advance(1_000);
    await f.session.respond(f.session.state.pendingExtension!.id, { extend: { timeoutMs: 500 } });
    await settle();
    expect(childrenOf(f.session.state.liveTurn!).map(({ status }) => status)).toEqual([
      'running',
      'running',
      'running',
    ]);
    await f.clock.advance(500);
    await f.session.respond(f.session.state.pendingExtension!.id, { end: true });
    expect(await turn).toMatchObject({ status: 'stopped' });
    expect(outcomes(f).toSorted()).toEqual(stopped.toSorted());
  });

  it.each(['stop', 'fail'] as const)(
    'agents C41, C51: a turn with `%s` that was killed while its agents were stopped ends by that limit',
    async (onTrip) => {
      const settings = (answers: readonly AnswerSource[]) => ({
        domains: [pathBoard().domain, team()],
        limits: { timeoutMs: 1_000, onTrip },
        agents: [agent('a', answers), agent('b', answers)],
      });
      const first = createSession([delegate('a', 'b')], settings([add('A'), stall('Half')]));
      first.session.send('Go').catch(() => {});
      const stored = () => first.operations.filter(({ type }) => type === 'subagent').length;
      await vi.waitFor(() => expect(stored()).toBeGreaterThan(20), 10_000);
      for (let i = 0; i < 10; i++) await settle();
      await first.clock.advance(1_000);
      for (let i = 0; i < 10; i++) await settle();
      const log = first.operations.slice();
      await first.session.dispose();
      const from = log.findIndex((one) => one.type === 'subagent' && one.inner.type === 'stopped');
      const to = log.findIndex(({ type }) => type === 'commitStarted' || type === 'rollbackStarted');
      expect(from).toBeGreaterThan(0);
      expect(to).toBeGreaterThan(from);
      for (let length = from + 1; length <= to; length++) {
        const provider = scriptedProvider([]);
        const next = createAgentSession({
          provider,
          ...settings([]),
          restored: { snapshot: null, records: recordsOf([log.slice(0, length)]) },
        });
        await opened(next);
        const end = await next.resume().catch((error: AgentSessionError) => error.code);
        expect(end, String(length)).toEqual(
          onTrip === 'fail' ? 'timeout' : expect.objectContaining({ status: 'stopped' }),
        );
        expect(provider.requests).toEqual([]);
        await next.dispose();
      }
    },
  );

  it('agents C33, C36, C41: an abort while an agent inside an agent takes its effects back ends each of them once', async () => {
    let goOn = () => {};
    const slow = new Promise<void>((resolve) => (goOn = resolve));
    const cards: string[] = [];
    const addSlowly = defineTool({
      name: 'add',
      description: 'Adds a card.',
      parameters: { type: 'object' },
      execute(_args, { undo }) {
        cards.push('A');
        undo({ description: 'A', revert: () => slow.then(() => void cards.pop()) });
      },
    });
    await using f = fixture([delegate('lead')], {
      domains: [{ id: 'board', tools: [addSlowly] }, team()],
      looseScript: true,
      limits: { timeoutMs: 1_000, onTrip: 'stop', revertTimeoutMs: 60_000, maxDepth: 2 },
      agents: [
        agent('lead', [delegate('a'), say('Led.')]),
        agent('a', [callTools({ tool: 'board.add', args: {} }), stall('Half')]),
      ],
    });
    const turn = f.session.send('Go').catch(() => {});
    await vi.waitFor(() => expect(cards).toHaveLength(1), 10_000);
    await settle();
    const inner = childrenOf(f.session.state.liveTurn!).find(({ agent }) => agent === 'a')!;
    f.session.cancel({ child: inner.id }).catch(() => {});
    await settle();
    await f.clock.advance(999);
    const aborted = f.session.cancel({ immediate: true });
    await f.clock.advance(1);
    goOn();
    await turn;
    await aborted;
    expect(childrenOf(f.session.state.turns[0]!).map(({ status }) => status)).toEqual([
      'cancelled',
      'cancelled',
    ]);
    expect(cards).toEqual([]);
  });
});
