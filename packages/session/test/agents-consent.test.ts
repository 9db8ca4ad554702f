// Guards, questions, grants, modes and middleware of child turns.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  callTools,
  checkOrder,
  fail,
  gate,
  say,
  scriptedProvider,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import {
  confirmTools,
  defineGuard,
  defineTool,
  denyTools,
  failed,
  type Agent,
  type ChildTurn,
  type Domain,
  type Grant,
  type GrantStore,
  type GuardedCall,
  type HookContext,
  type Middleware,
  type Operation,
  type Remember,
  type SessionOptions,
  type TurnRecord,
  type Verdict,
} from '@banister/session';
import type { AgentRef } from '@banister/session/operations';
import { QuestionDesk } from '../src/turn/question-desk.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, rejection, type Fixture, type FixtureOptions } from './fixture.js';
import { hooksLoaded } from './hooks-loaded.js';
import { codeOf, createSession, opened, recordsOf } from './opened.js';

beforeAll(() => Promise.all([agentsLoaded(), hooksLoaded()]));

/** A board with a tool that adds cards, and a tool that runs an agent. */
function board() {
  const cards: string[] = [];
  const add = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    execute: ({ title }, { undo }) => {
      cards.push(title);
      undo({
        description: `Added "${title}"`,
        paths: [`cards/${title}`],
        revert: () => void cards.splice(cards.indexOf(title), 1),
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
      const ended = await Promise.all((agents as string[]).map((agent) => run(agent, 'Work.')));
      return ended.map(({ status, text }) => `${status}: ${text}`).join('\n');
    },
  });
  const domains: readonly Domain[] = [{ id: 'board', tools: [add, work] }];
  return { cards, domains };
}

const agent = (id: string, answers: readonly AnswerSource[], more: Partial<Agent> = {}): Agent => ({
  id,
  role: `You are ${id}.`,
  tools: ['board'],
  provider: scriptedProvider(answers),
  ...more,
});

const add = (title: string) => callTools({ tool: 'board.add', args: { title } });
const delegate = (...agents: readonly string[]) => callTools({ tool: 'board.work', args: { agents } });

/** A guard that answers about the tool `board.add`, and notes each call. */
function guard(name: string, asked: GuardedCall[] = [], verdict: Verdict = 'allow') {
  return defineGuard(name, (call) => {
    if (call.tool !== 'board.add') return 'allow';
    asked.push(call);
    return verdict;
  });
}

/** The child turns of the last turn, each with its own child turns. */
function childrenIn({ session }: Fixture) {
  const below = (turn: TurnRecord): readonly Child[] =>
    calls(turn).flatMap(({ children = [] }) =>
      children.map((child) => ({ ...child, children: below(child) })),
    );
  return below(session.state.turns.at(-1)!);
}

interface Child extends ChildTurn {
  readonly children: readonly Child[];
}

/** The calls of a turn. */
function calls({ rounds }: TurnRecord) {
  return rounds.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'));
}

describe('the guards of a child turn', () => {
  it('agents C26: the guards of the session decide first, then the guards of the mode, then the guards of the agent', async () => {
    const { cards, domains } = board();
    const names: string[] = [];
    const noted = (name: string) =>
      defineGuard(name, ({ tool }) => {
        names.push(`${name} ${tool}`);
        return 'allow';
      });
    await using f = fixture([delegate('a'), say('Done.')], {
      domains,
      guards: [noted('session')],
      modes: [{ id: 'plan', title: 'Plan', guards: [noted('mode')] }],
      agents: [agent('a', [add('A'), say('A.')], { guards: [noted('agent')] })],
    });
    await f.session.send('Go');
    expect(names).toEqual([
      'session board.work',
      'mode board.work',
      'session board.add',
      'mode board.add',
      'agent board.add',
    ]);
    expect(cards).toEqual(['A']);
  });

  it('agents C26: a guard of the agent denies a call that the session would ask about', async () => {
    const { cards, domains } = board();
    await using f = fixture([delegate('a'), say('Done.')], {
      domains,
      guards: [confirmTools('board.add')],
      agents: [agent('a', [add('A'), say('A.')], { guards: [denyTools('board.add')] })],
    });
    await f.session.send('Go');
    expect(cards).toEqual([]);
    expect(f.observed.operations.some(({ type }) => type === 'confirmationRequested')).toBe(false);
  });

  it('agents C26: a guard decides with the agent of the call, and an agent alone may have guards', async () => {
    const { cards, domains } = board();
    const asked: GuardedCall[] = [];
    await using f = fixture([delegate('a'), add('R'), say('Done.')], {
      domains,
      agents: [
        agent('a', [delegate('b'), say('A.')], { guards: [guard('of-a', asked)] }),
        agent('b', [add('B'), say('B.')], { title: 'Agent B', guards: [guard('of-b', asked)] }),
      ],
      limits: { maxDepth: 2 },
    });
    await f.session.send('Go');
    const [a] = childrenIn(f);
    const [b] = a!.children;
    expect(asked.map(({ agent: by }) => by)).toEqual([
      { id: 'b', title: 'Agent B', child: b!.id, path: [a!.id, b!.id] },
    ]);
    expect(cards).toEqual(['B', 'R']);
  });

  it('agents C26: the guards of the agent decide again about edited arguments', async () => {
    const { cards, domains } = board();
    const short = defineGuard('short', ({ tool, arguments: { title } }) =>
      tool === 'board.add' && String(title).length > 3 ? { deny: 'It is too long.' } : 'allow',
    );
    await using f = fixture([delegate('a'), say('Done.')], {
      domains,
      guards: [confirmTools('board.add')],
      agents: [agent('a', [add('A'), say('A.')], { guards: [short] })],
    });
    const turn = f.session.send('Go');
    await settle();
    const [question] = f.session.state.pendingConfirmations;
    await f.session.respond(question!.id, { approve: true, arguments: { title: 'Long title' } });
    await turn;
    expect(cards).toEqual([]);
    expect(calls(childrenIn(f)[0]!)).toMatchObject([{ rejection: 'denied' }]);
  });

  it('agents C26: a guard of an agent that names an unknown tool is refused when the session is made', () => {
    const { domains } = board();
    const agents = [agent('a', [], { guards: [denyTools('board.nothing')] })];
    expect(() => fixture([], { domains, agents })).toThrow(/board\.nothing/);
  });
});

describe('an approval that is remembered for an agent', () => {
  /** Answers the open question, and returns the agents that have been asked about until now. */
  async function approveNext({ session, observed }: Fixture, remember?: Remember) {
    await settle();
    await session.pendingConfirmation.value?.approve({ remember, scope: 'tool' });
    await settle();
    return observed.operations.flatMap((operation) => {
      const inner = operation.type === 'subagent' ? operation.inner : operation;
      return inner.type === 'confirmationRequested' ? [inner.request.agent?.id ?? 'session'] : [];
    });
  }

  const guards = [confirmTools('board.add')];

  it.each(['turn', 'session', 'always'] as const)(
    'agents C29: counts in each child turn of the agent, for no other agent, and not for the model of the session, remember %s',
    async (remember) => {
      const { cards, domains } = board();
      const { store, kept } = grantStore();
      await using f = fixture([delegate('a'), delegate('a', 'b'), add('R'), say('Done.')], {
        domains,
        guards,
        grants: store,
        agents: [
          agent('a', [add('A1'), add('A2'), say('A.'), add('A3'), say('A.')]),
          agent('b', [add('B'), say('B.')]),
        ],
      });
      const turn = f.session.send('Go');
      expect(await approveNext(f, remember)).toEqual(['a', 'b']);
      expect(f.session.state.grants).toMatchObject([
        { remember, agent: 'a', ...(remember === 'turn' ? { turnId: f.session.state.liveTurn!.id } : {}) },
      ]);
      expect(cards).toEqual(['A1', 'A2', 'A3']);
      expect(await approveNext(f)).toEqual(['a', 'b', 'session']);
      await approveNext(f);
      await turn;
      expect(cards).toEqual(['A1', 'A2', 'A3', 'B', 'R']);
      expect(kept.size).toBe(remember === 'always' ? 1 : 0);
      expect(f.session.state.grants).toHaveLength(remember === 'turn' ? 0 : 1);
    },
  );

  it('agents C29: an approval for the model of the session does not count for an agent', async () => {
    const { cards, domains } = board();
    await using f = fixture([add('R1'), delegate('a'), add('R2'), say('Done.')], {
      domains,
      guards,
      agents: [agent('a', [add('A'), say('A.')])],
    });
    const turn = f.session.send('Go');
    expect(await approveNext(f, 'turn')).toEqual(['session', 'a']);
    expect(f.session.state.grants).toHaveLength(1);
    expect(f.session.state.grants[0]).not.toHaveProperty('agent');
    await approveNext(f);
    await turn;
    expect(cards).toEqual(['R1', 'A', 'R2']);
  });

  it('agents C29: an approval for a turn that was given in a child turn counts in the next child turn, and ends with the turn', async () => {
    const { cards, domains } = board();
    await using f = fixture([delegate('a'), delegate('a'), say('Done.'), delegate('a'), say('Done.')], {
      domains,
      guards,
      agents: [agent('a', [add('A1'), say('A.'), add('A2'), say('A.'), add('A3'), say('A.')])],
    });
    const first = f.session.send('Go');
    expect(await approveNext(f, 'turn')).toEqual(['a']);
    await first;
    expect(cards).toEqual(['A1', 'A2']);
    expect(f.session.state.grants).toEqual([]);
    const second = f.session.send('Go on');
    expect(await approveNext(f)).toEqual(['a', 'a']);
    await second;
  });

  it('agents C29: an approval for a turn that was cancelled does not count in the next turn', async () => {
    const { cards, domains } = board();
    await using f = fixture([delegate('a'), delegate('a'), say('Done.')], {
      domains,
      guards,
      agents: [agent('a', [add('A1'), stall(), add('A2'), say('A.')])],
    });
    const first = f.session.send('Go');
    first.catch(() => {});
    await approveNext(f, 'turn');
    await f.session.cancel();
    const second = f.session.send('Go on');
    expect(await approveNext(f)).toEqual(['a', 'a']);
    await second;
    expect(cards).toEqual(['A2']);
  });

  it('agents C29: a stored approval counts for the agent that it names; without one, for the model of the session', async () => {
    const { domains } = board();
    const { store, kept } = grantStore();
    const session = (answers: readonly AnswerSource[], agents: readonly Agent[]) =>
      fixture(answers, { domains, guards, grants: store, agents });
    {
      await using f = session([delegate('a'), say('Done.')], [agent('a', [add('A'), say('A.')])]);
      const turn = f.session.send('Go');
      await approveNext(f, 'always');
      await turn;
    }
    const [grant] = kept.values();
    const asked = async (stored: Grant) => {
      kept.set(stored.id, stored);
      await using f = session([delegate('a'), add('R'), say('Done.')], [agent('a', [add('A'), say('A.')])]);
      const turn = f.session.send('Go');
      await approveNext(f);
      const agents = await approveNext(f);
      await turn;
      return agents;
    };
    const { agent: _agent, ...own } = grant!;
    expect(await asked(grant!)).toEqual(['session']);
    expect(await asked(own)).toEqual(['a']);
    expect(await asked({ ...grant!, agent: 'b' })).toEqual(['a', 'session']);
  });

  it('agents C29: a stored approval with another value than the id of an agent is reported, and does not count', async () => {
    const { domains } = board();
    const { store, kept } = grantStore();
    kept.set('grant', { ...grantOf(), agent: 1 as never });
    await using f = fixture([], { domains, guards, grants: store, reportsErrors: true });
    await settle();
    expect(f.session.state.grants).toEqual([]);
    expect(f.reported).toHaveLength(1);
  });
});

describe('a change of the mode', () => {
  const modes = [
    { id: 'ask', title: 'Ask', guards: [confirmTools('board.add')] },
    { id: 'read', title: 'Only read', guards: [denyTools('board.add')] },
  ];

  it('agents C30, R12: denies the open questions of all agents at once, at each depth', async () => {
    const { cards, domains } = board();
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains,
      modes,
      agents: [
        agent('a', [add('A'), say('A.')]),
        agent('b', [delegate('c'), say('B.')]),
        agent('c', [add('C'), say('C.')]),
      ],
      limits: { maxDepth: 2 },
    });
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.state.pendingConfirmations.map((request) => request.agent?.id)).toEqual(['a', 'c']);
    await f.session.setMode('read');
    expect(f.session.state.pendingConfirmations).toEqual([]);
    await turn;
    expect(cards).toEqual([]);
    expect(childrenIn(f).map(({ agent: id, status }) => [id, status])).toEqual([
      ['a', 'completed'],
      ['b', 'completed'],
    ]);
  });

  it('agents C30: each turn decides about its own questions only, so that a guard of the mode is asked once for each', async () => {
    const { domains } = board();
    const asked: GuardedCall[] = [];
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains,
      modes: [modes[0]!, { id: 'other', title: 'Other', guards: [guard('other', asked)] }],
      agents: [agent('a', [add('A'), say('A.')]), agent('b', [add('B'), say('B.')])],
    });
    const turn = f.session.send('Go');
    await settle();
    await f.session.setMode('other');
    expect(asked.map((call) => [call.agent?.id, call.arguments['title']])).toEqual([
      ['a', 'A'],
      ['b', 'B'],
    ]);
    expect(f.session.state.pendingConfirmations).toHaveLength(2);
    for (const { id } of f.session.state.pendingConfirmations) await f.session.respond(id, { approve: true });
    await turn;
  });

  it('agents C30: a call that an agent was allowed is denied if the mode has changed before it starts', async () => {
    const { cards, domains } = board();
    const decided = gate();
    const slow = defineGuard('slow', async ({ tool }): Promise<Verdict> => {
      if (tool === 'board.add') await decided.pass();
      return 'allow';
    });
    await using f = fixture([delegate('a'), say('Done.')], {
      domains,
      modes: [{ id: 'all', title: 'All', guards: [] }, modes[1]!],
      agents: [agent('a', [add('A'), say('A.')], { guards: [slow] })],
    });
    const turn = f.session.send('Go');
    await settle();
    await f.session.setMode('read');
    decided.open();
    await turn;
    expect(cards).toEqual([]);
  });

  it('agents C30: a child turn that has ended hears of no change', async () => {
    const { domains } = board();
    const told = vi.spyOn(QuestionDesk.prototype, 'modeChanged');
    const names = Array.from({ length: 16 }, (_, index) => `agent-${index}`);
    await using f = fixture([delegate(...names), add('R'), say('Done.')], {
      domains,
      modes,
      limits: { maxToolCalls: 100 },
      agents: names.map((name, index) =>
        agent(name, [add(name), index % 2 === 0 ? say('Done.') : fail('auth')]),
      ),
    });
    const turn = f.session.send('Go');
    await settle();
    for (const { id } of f.session.state.pendingConfirmations) await f.session.respond(id, { approve: true });
    await settle();
    await f.session.setMode('read');
    const desk = told.mock.contexts.at(-1) as QuestionDesk;
    expect(desk.sources.size).toBe(1);
    told.mockRestore();
    await turn;
  });
});

describe('the middleware of a child turn', () => {
  /** Middleware that notes its calls, with the agent of its context. */
  function noting(name: string, seen: string[], more: Partial<Middleware> = {}): Middleware {
    const note =
      (hook: string, result?: unknown) =>
      (_value: unknown, { agent: by }: HookContext) => {
        seen.push(`${name} ${hook} ${by?.id ?? 'session'}`);
        return result as never;
      };
    return {
      name,
      beforeRequest: note('beforeRequest'),
      afterResponse: note('afterResponse'),
      beforeToolCalls: note('beforeToolCalls'),
      afterToolCall: note('afterToolCall'),
      onToolError: note('onToolError'),
      afterTurn: note('afterTurn'),
      ...more,
    };
  }

  it('agents C31: gets requests, answers, calls, results and errors of child turns, the middleware of the session first', async () => {
    const { domains } = board();
    const seen: string[] = [];
    await using f = fixture([delegate('a'), say('Done.')], {
      domains: [...domains, broken],
      middleware: [noting('session', seen)],
      agents: [
        agent('a', [callTools({ tool: 'broken.fails', args: {} }), say('A.')], {
          tools: ['broken'],
          middleware: [noting('own', seen)],
        }),
      ],
    });
    await f.session.send('Go');
    expect(seen.filter((line) => line.endsWith(' a'))).toEqual([
      'session beforeRequest a',
      'own beforeRequest a',
      'session afterResponse a',
      'own afterResponse a',
      'session beforeToolCalls a',
      'own beforeToolCalls a',
      'session afterToolCall a',
      'own afterToolCall a',
      'session onToolError a',
      'own onToolError a',
      'session beforeRequest a',
      'own beforeRequest a',
      'session afterResponse a',
      'own afterResponse a',
      'own afterTurn a',
    ]);
    expect(seen.filter((line) => line.includes('afterTurn'))).toEqual([
      'own afterTurn a',
      'session afterTurn session',
    ]);
    expect(seen.filter((line) => line.startsWith('own') && !line.endsWith(' a'))).toEqual([]);
  });

  it('agents C31: a hook gets the agent with each call, result and error of a child turn', async () => {
    const { domains } = board();
    const agents: (AgentRef | undefined)[] = [];
    const middleware: Middleware = {
      name: 'notes',
      beforeToolCalls: (given) => void agents.push(...given.map((call) => call.agent)),
      afterToolCall: ({ call }) => void agents.push(call.agent),
      onToolError: ({ call }) => void agents.push(call.agent),
    };
    await using f = fixture([delegate('a'), say('Done.')], {
      domains: [...domains, broken],
      middleware: [middleware],
      agents: [agent('a', [callTools({ tool: 'broken.fails', args: {} }), say('A.')], { tools: ['broken'] })],
    });
    await f.session.send('Go');
    const [{ id: child }] = childrenIn(f) as [Child];
    const ref = { id: 'a', child, path: [child] };
    expect(agents).toEqual([undefined, ref, ref, ref, undefined]);
  });

  it('agents C31: an agent inside of an agent has the middleware of the session and its own', async () => {
    const { domains } = board();
    const seen: string[] = [];
    await using f = fixture([delegate('a'), say('Done.')], {
      domains,
      middleware: [{ name: 'session', beforeRequest: noting('session', seen).beforeRequest! }],
      agents: [
        agent('a', [delegate('b'), say('A.')], {
          middleware: [{ name: 'of-a', beforeRequest: noting('of-a', seen).beforeRequest! }],
        }),
        agent('b', [say('B.')], {
          middleware: [{ name: 'of-b', beforeRequest: noting('of-b', seen).beforeRequest! }],
        }),
      ],
      limits: { maxDepth: 2 },
    });
    await f.session.send('Go');
    expect(seen.filter((line) => line.endsWith(' b'))).toEqual([
      'session beforeRequest b',
      'of-b beforeRequest b',
    ]);
  });

  it.each([0, 1])(
    'agents C31: an agent alone may have middleware, with %d of the session that has another hook',
    async (count) => {
      const { cards, domains } = board();
      const other: Middleware = { name: 'other', redact: (message) => message, afterTurn: () => {} };
      const strict: Middleware = {
        name: 'strict',
        beforeToolCalls: (given) => Object.fromEntries(given.map(({ id }) => [id, { reject: 'No.' }])),
      };
      await using f = fixture([delegate('a'), add('R'), say('Done.')], {
        domains,
        middleware: [other].slice(0, count),
        agents: [agent('a', [add('A'), say('A.')], { middleware: [strict] })],
      });
      await f.session.send('Go');
      expect(cards).toEqual(['R']);
      expect(calls(childrenIn(f)[0]!)).toMatchObject([{ rejection: 'middleware' }]);
    },
  );

  const strict: Middleware = { name: 'strict', onToolError: () => ({ escalate: 'Stop here.' }) };

  it.each(['a child', 'a grandchild'] as const)(
    'agents C31: an escalation by the middleware of the session in %s ends the turn that the user sent',
    async (place) => {
      const { cards, domains } = board();
      const fails = callTools({ tool: 'broken.fails', args: {} });
      const inner = agent('inner', [add('I'), fails], { tools: ['board', 'broken'] });
      await using f = fixture([add('R'), delegate(place === 'a child' ? 'inner' : 'outer', 'slow')], {
        domains: [...domains, broken],
        middleware: [strict],
        agents: [inner, agent('outer', [add('O'), delegate('inner')]), agent('slow', [add('S'), stall()])],
        limits: { maxDepth: 2 },
        looseScript: true,
      });
      const error = await rejection(f.session.send('Go'));
      expect(error).toMatchObject({ code: 'tool-escalated', details: { middleware: 'strict' } });
      expect(cards).toEqual([]);
      expect(f.session.state.turns.at(-1)!.status).toBe('failed');
      expect(childrenIn(f).map(({ status }) => status)).toEqual(['failed', 'failed']);
      expect(f.provider.requests).toHaveLength(2);
    },
  );

  it.each(['a child', 'a grandchild'] as const)(
    'agents C31: an escalation by the middleware of the agent ends its child turn alone, in %s',
    async (place) => {
      const { cards, domains } = board();
      const fails = callTools({ tool: 'broken.fails', args: {} });
      const inner = agent('inner', [add('I'), fails], { tools: ['board', 'broken'], middleware: [strict] });
      await using f = fixture([add('R'), delegate(place === 'a child' ? 'inner' : 'outer'), say('Done.')], {
        domains: [...domains, broken],
        middleware: [{ name: 'calm', onToolError: () => 'feed-back' }],
        agents: [inner, agent('outer', [add('O'), delegate('inner'), say('O.')])],
        limits: { maxDepth: 2 },
      });
      await f.session.send('Go');
      expect(cards).toEqual(place === 'a child' ? ['R'] : ['R', 'O']);
      const [child] = childrenIn(f);
      const ended = place === 'a child' ? child! : child!.children[0]!;
      expect(ended).toMatchObject({ agent: 'inner', outcome: { error: { code: 'tool-escalated' } } });
      expect(child!.status).toBe(place === 'a child' ? 'failed' : 'completed');
    },
  );

  it('agents C31: middleware that the session gets later is called in the next child turn of the same agent', async () => {
    const { domains } = board();
    const seen: string[] = [];
    const later = { name: 'later', beforeRequest: noting('later', seen).beforeRequest! };
    await using f = fixture([delegate('a'), say('Done.'), delegate('a'), say('Done.')], {
      domains,
      agents: [agent('a', [say('A.'), say('A.')], { middleware: [noting('own', [])] })],
    });
    await f.session.send('Go');
    await f.session.configure({ middleware: [later] });
    await f.session.send('Go on');
    expect(seen.filter((line) => line.endsWith(' a'))).toEqual(['later beforeRequest a']);
  });

  it('agents C31: an escalation ends the turn even if the tool that ran the agent ignores it', async () => {
    const deaf = defineTool({
      name: 'deaf',
      description: 'Lets an agent work.',
      parameters: { type: 'object', properties: {} },
      execute: (_args, { run }) =>
        run('a', 'Work.').then(
          () => 'done',
          () => 'ignored',
        ),
    });
    await using f = fixture([callTools({ tool: 'deaf.deaf', args: {} })], {
      domains: [{ id: 'deaf', tools: [deaf] }, broken],
      middleware: [strict],
      agents: [agent('a', [callTools({ tool: 'broken.fails', args: {} })], { tools: ['broken'] })],
    });
    expect(await rejection(f.session.send('Go'))).toMatchObject({ code: 'tool-escalated' });
  });
});

describe('the questions of several agents', () => {
  const two = (domains: readonly Domain[], more: FixtureOptions = {}) =>
    fixture([delegate('a', 'b'), say('Done.')], {
      domains,
      guards: [confirmTools('board.add')],
      agents: [agent('a', [add('A'), say('A.')]), agent('b', [add('B'), say('B.')])],
      ...more,
    });

  it('agents C27, R5: an answer restarts the deadlines of the questions of other agents', async () => {
    const { cards, domains } = board();
    await using f = two(domains);
    const turn = f.session.send('Go');
    await settle();
    const [first, second] = f.session.state.pendingConfirmations;
    await f.clock.advance(20_000);
    await f.session.respond(first!.id, { approve: true });
    expect(f.session.state.pendingConfirmations).toMatchObject([
      { id: second!.id, expiresAt: second!.expiresAt! + 20_000 },
    ]);
    await f.clock.advance(second!.expiresAt! - f.clock.now());
    expect(f.session.state.pendingConfirmations).toHaveLength(1);
    await f.session.respond(second!.id, { approve: true });
    await turn;
    expect(cards).toEqual(['A', 'B']);
  });

  it('agents C28: attend and previewOf work for the question of an agent', async () => {
    const { cards, domains } = board();
    const shown = domains.map((domain) => ({
      ...domain,
      tools: domain.tools.map((tool) =>
        tool.name === 'add' ? { ...tool, preview: (args: unknown) => JSON.stringify(args) } : tool,
      ),
    }));
    await using f = two(shown);
    const turn = f.session.send('Go');
    await settle();
    const [first, second] = f.session.state.pendingConfirmations;
    expect(first!.preview).toEqual({ kind: 'text', text: '{"title":"A"}' });
    expect(await f.session.previewOf(first!.id, { title: 'C' })).toMatchObject({
      preview: { kind: 'text', text: '{"title":"C"}' },
    });
    const leave = f.session.attend(second!.id);
    await settle();
    expect(f.session.state.pendingConfirmations.map(({ attended }) => attended)).toEqual([undefined, true]);
    await f.clock.advance(first!.expiresAt! - 1_000);
    expect(f.session.state.pendingConfirmations.map(({ id }) => id)).toEqual([second!.id]);
    await f.session.respond(second!.id, { approve: true, arguments: { title: 'E' } });
    leave();
    await turn;
    expect(cards).toEqual(['E']);
  });

  it.each(['the guards of the session', 'no guard'] as const)(
    'agents C28: a call of another agent, about which %s decides, renews the preview of an open question',
    async (decides) => {
      const { cards, domains } = board();
      const shown = domains.map((domain) => ({
        ...domain,
        tools: domain.tools.map((tool) =>
          tool.name === 'add' ? { ...tool, preview: () => `Card ${cards.length + 1}` } : tool,
        ),
      }));
      const held = gate();
      const asking = defineGuard('asking', ({ arguments: { title } }) =>
        title === 'A' ? { confirm: 'May it?' } : 'allow',
      );
      const guarded = decides === 'no guard' ? { guards: [] } : { guards: [asking] };
      await using f = two(shown, {
        ...guarded,
        agents: [
          agent('a', [add('A'), say('A.')], decides === 'no guard' ? { guards: [asking] } : {}),
          agent('b', [callTools(held, { tool: 'board.add', args: { title: 'B' } }), say('B.')]),
        ],
      });
      const turn = f.session.send('Go');
      await settle();
      expect(f.session.state.pendingConfirmations).toMatchObject([{ preview: { text: 'Card 1' } }]);
      held.open();
      await f.clock.advance(1_000);
      expect(cards).toEqual(['B']);
      const [question] = f.session.state.pendingConfirmations;
      expect(question).toMatchObject({ preview: { text: 'Card 2' }, changed: true });
      await f.session.respond(question!.id, { approve: true });
      await turn;
      expect(cards).toEqual(['B', 'A']);
    },
  );

  it('agents C28: the second question of one agent is attended alone', async () => {
    const { domains } = board();
    const both = callTools(
      { tool: 'board.add', args: { title: 'A' } },
      { tool: 'board.add', args: { title: 'B' } },
    );
    await using f = fixture([delegate('a'), say('Done.')], {
      domains,
      guards: [confirmTools('board.add')],
      agents: [agent('a', [both, say('A.')])],
    });
    const turn = f.session.send('Go');
    await settle();
    const [first, second] = f.session.state.pendingConfirmations;
    const leave = f.session.attend(second!.id);
    await settle();
    expect(f.session.state.pendingConfirmations).toMatchObject([
      { id: first!.id, expiresAt: first!.expiresAt },
      { id: second!.id, attended: true },
    ]);
    expect(f.session.state.pendingConfirmations[0]).not.toHaveProperty('attended');
    leave();
    for (const { id } of [second!, first!]) await f.session.respond(id, { approve: true });
    await turn;
  });

  it('agents C27, C33: while a cancel of the turn closes the questions of several agents, the phase stays `cancelling`', async () => {
    const { domains } = board();
    await using f = two(domains, { looseScript: true });
    const turn = rejection(f.session.send('Go'));
    await settle();
    expect([f.session.state.phase, f.session.state.pendingConfirmations.length]).toEqual(['confirming', 2]);
    const phases: string[] = [];
    f.session.operations$.subscribe(() => {
      const { phase, pendingConfirmations } = f.session.state;
      phases.push(`${phase} ${pendingConfirmations.length}`);
    });
    await f.session.cancel();
    await turn;
    expect(phases).toContain('cancelling 1');
    expect(phases.filter((one) => /^(confirming|executing)/.test(one))).toEqual([]);
  });

  it('agents C27: a child turn that is cancelled with a signal closes its own questions only', async () => {
    const { cards, domains } = board();
    const stop = new AbortController();
    const both = defineTool({
      name: 'both',
      description: 'Lets two agents work.',
      parameters: { type: 'object', properties: {} },
      capabilities: ['readOnly'],
      execute: async (_args, { run }) => {
        const ended = await Promise.all([run('a', 'Work.', { signal: stop.signal }), run('b', 'Work.')]);
        return ended.map(({ status }) => status).join();
      },
    });
    await using f = fixture([callTools({ tool: 'both.both', args: {} }), say('Done.')], {
      domains: [...domains, { id: 'both', tools: [both] }],
      guards: [confirmTools('board.add')],
      agents: [agent('a', [add('A')]), agent('b', [add('B'), say('B.')])],
    });
    const turn = f.session.send('Go');
    await settle();
    stop.abort();
    await settle();
    expect(f.session.state.pendingConfirmations.map((request) => request.agent?.id)).toEqual(['b']);
    expect(f.session.state.phase).toBe('confirming');
    await f.session.respond(f.session.state.pendingConfirmations[0]!.id, { approve: true });
    await turn;
    expect(cards).toEqual(['B']);
    expect(childrenIn(f).map(({ status }) => status)).toEqual(['cancelled', 'completed']);
  });
});

describe('after a reload', () => {
  /** A session that opens the log of an interrupted turn. */
  async function reopened(
    before: readonly Operation[],
    answers: readonly AnswerSource[],
    options: Partial<SessionOptions>,
  ) {
    const next = createSession(answers, {
      ...options,
      restored: { snapshot: null, records: recordsOf([before]) },
    });
    await opened(next.session);
    return next;
  }

  it('agents C27, C28: the question of an agent is open with its agent, and an answer to it counts', async () => {
    const { cards, domains } = board();
    const guards = [confirmTools('board.add')];
    const first = createSession([delegate('a')], { domains, guards, agents: [agent('a', [add('A')])] });
    first.session.send('Go').catch(() => {});
    await settle();
    const [question] = first.session.state.pendingConfirmations;
    await first.session.dispose({ turn: 'leave' });
    const agents = [agent('a', [say('A.')])];
    const next = await reopened(first.operations, [say('Done.')], { domains, guards, agents });
    const [open] = next.session.state.pendingConfirmations;
    expect(open).toMatchObject({ id: question!.id, agent: question!.agent });
    const turn = next.session.resume();
    await settle();
    expect(next.session.state.pendingConfirmations.map(({ id }) => id)).toEqual([question!.id]);
    await next.session.respond(question!.id, { approve: true });
    await turn;
    expect(cards).toEqual(['A']);
    expect(checkOrder([...first.operations, ...next.operations])).toEqual([]);
    await next.session.dispose();
  });

  const strict: Middleware = { name: 'strict', onToolError: () => ({ escalate: 'Stop here.' }) };

  it.each([
    { of: 'the session', at: 'middlewareActed', code: 'tool-escalated' },
    { of: 'the session', at: 'failed', code: 'tool-escalated' },
    { of: 'the agent', at: 'middlewareActed', code: 'resolved' },
    { of: 'the agent', at: 'failed', code: 'resolved' },
  ])(
    'agents C31: an escalation by the middleware of $of counts after an interruption behind $at',
    async ({ of, at, code }) => {
      const { domains } = board();
      const options = {
        domains: [...domains, broken],
        middleware: of === 'the session' ? [strict] : [],
      };
      const a = (answers: readonly AnswerSource[]) =>
        agent('a', answers, { tools: ['broken'], middleware: of === 'the agent' ? [strict] : [] });
      const first = createSession([delegate('a'), say('Done.')], {
        ...options,
        agents: [a([callTools({ tool: 'broken.fails', args: {} })])],
      });
      await codeOf(first.session.send('Go'));
      await first.session.dispose();
      const last = first.operations.findIndex(
        (operation) =>
          operation.type === 'subagent' &&
          operation.inner.type === at &&
          (operation.inner.type !== 'middlewareActed' || operation.inner.hook === 'onToolError'),
      );
      const before = first.operations.slice(0, last + 1);
      const next = await reopened(before, [say('Done.')], { ...options, agents: [a([])] });
      expect(await codeOf(next.session.resume())).toBe(code);
      expect(next.session.state.turns.at(-1)!.status).toBe(code === 'resolved' ? 'completed' : 'failed');
      expect(checkOrder([...before, ...next.operations])).toEqual([]);
      await next.session.dispose();
    },
  );
});

/** The ways in which a question ends, each with its operation and with whether the call runs. */
const answers = [
  { answered: 'an approval', decision: 'approved', by: 'user', runs: true },
  { answered: 'a denial', decision: 'denied', by: 'user', runs: false },
  { answered: 'an approval of the handler', decision: 'approved', by: 'handler', runs: true },
  { answered: 'a denial of the handler', decision: 'denied', by: 'handler', runs: false },
  { answered: 'its deadline', decision: 'timed-out', by: 'timeout', runs: false },
  { answered: 'a cancel of the turn', decision: 'cancelled', by: 'cancel', runs: false },
] as const;

describe('the table of consent', () => {
  const places = ['the turn that the user sent', 'a child turn', 'a child turn of a child turn'] as const;
  const sources = ['the session', 'the mode', 'the agent'] as const;

  interface Cell {
    readonly source: (typeof sources)[number];
    readonly place: (typeof places)[number];
    readonly verdict: Verdict;
    readonly by?: (typeof answers)[number]['by'];
    readonly runs?: boolean;
  }

  /** Sends a message whose turn calls `board.add` at a place, with one guard that decides about it. */
  function table({ source, place, verdict, by, runs }: Cell) {
    const { cards, domains } = board();
    const asked: GuardedCall[] = [];
    const own = [guard('own', asked, verdict)];
    const of = (from: Cell['source']) => (source === from ? own : []);
    const depth = places.indexOf(place);
    const work = [
      [add('X'), say('Done.')],
      [delegate('a'), say('Done.')],
      [delegate('b'), say('Done.')],
    ];
    const f = fixture(depth === 0 ? work[0]! : work[1]!, {
      domains,
      guards: of('the session'),
      modes: [{ id: 'mode', title: 'Mode', guards: of('the mode') }],
      agents: [
        agent('a', depth === 1 ? work[0]! : work[2]!, { guards: depth === 2 ? [] : of('the agent') }),
        agent('b', work[0]!, { guards: of('the agent') }),
      ],
      limits: { maxDepth: 2 },
      looseScript: true,
      ...(by === 'handler' ? { confirm: () => ({ approve: runs === true }) } : {}),
    });
    const turn = f.session.send('Go');
    turn.catch(() => {});
    return { f, turn, cards, asked, id: [undefined, 'a', 'b'][depth] };
  }

  /** The operations of one type, of the turn and of its child turns. */
  function operations<T extends Operation['type']>({ observed }: Fixture, type: T) {
    return observed.operations.flatMap((operation) => {
      const one = operation.type === 'subagent' ? (operation.inner as Operation) : operation;
      return one.type === type ? [one as Extract<Operation, { readonly type: T }>] : [];
    });
  }

  const cells = sources.flatMap((source) => places.map((place) => ({ source, place })));
  const unasked = cells.flatMap((cell) => [
    { ...cell, says: 'allows', verdict: 'allow' as const, runs: true },
    { ...cell, says: 'denies', verdict: { deny: 'No.' }, runs: false },
  ]);

  it.each(unasked)(
    'agents C26: a guard of $source that $says a call in $place decides without a question',
    async ({ runs, ...cell }) => {
      const { f: used, turn, cards, asked, id } = table(cell);
      await using f = used;
      await turn;
      // The model of the session has no guards of an agent.
      const counts = cell.source !== 'the agent' || id !== undefined;
      expect(asked.map((call) => call.agent?.id)).toEqual(counts ? [id] : []);
      expect(cards).toEqual(runs || !counts ? ['X'] : []);
      expect(operations(f, 'confirmationRequested')).toEqual([]);
    },
  );

  const asking = cells
    .filter(({ source, place }) => source !== 'the agent' || place !== places[0])
    .flatMap((cell) => answers.map((answer) => ({ ...cell, ...answer })));

  it.each(asking)(
    'agents C26, C27, C28: the question of a guard of $source about a call in $place ends with $answered',
    async ({ decision, by, runs, source, place }) => {
      const verdict = { confirm: 'May it?' };
      const { f: used, turn, cards, id } = table({ source, place, verdict, by, runs });
      await using f = used;
      await settle();
      if (by !== 'handler') {
        const [question] = f.session.state.pendingConfirmations;
        expect(f.session.state.pendingConfirmations).toHaveLength(1);
        expect(question).toMatchObject({ guard: 'own', reason: 'May it?', answeredBy: 'signal' });
        expect(f.session.state.phase).toBe('confirming');
        if (by === 'user') await f.session.respond(question!.id, { approve: runs });
        if (by === 'timeout') await f.clock.advance(question!.expiresAt! - f.clock.now());
        if (by === 'cancel') await f.session.cancel();
      }
      await turn.catch(() => {});
      expect(cards).toEqual(runs ? ['X'] : []);
      const requests = operations(f, 'confirmationRequested');
      expect(requests.map(({ request }) => request.agent?.id)).toEqual([id]);
      expect(requests[0]!.request.agent?.path.length ?? 0).toBe(places.indexOf(place));
      expect(operations(f, 'confirmationResolved')).toMatchObject([{ decision, by }]);
      expect(f.session.state.pendingConfirmations).toEqual([]);
      const status = by === 'cancel' ? 'cancelled' : 'completed';
      expect(f.session.state.turns.at(-1)!.status).toBe(status);
      const [outer] = childrenIn(f);
      const children = outer === undefined ? [] : [outer, ...outer.children];
      expect(children.map((child) => child.status)).toEqual(Array(places.indexOf(place)).fill(status));
    },
  );
});

/** A domain whose tool fails. */
const broken: Domain = {
  id: 'broken',
  tools: [
    defineTool({
      name: 'fails',
      description: 'Fails.',
      parameters: { type: 'object', properties: {} },
      execute: () => failed('It broke.'),
    }),
  ],
};

/** A grant of the store. */
function grantOf(): Grant {
  return { id: 'grant', tool: 'board.add', definition: '{}', remember: 'always', at: 1, session: 's' };
}

/** A store of grants in this page. */
function grantStore() {
  const kept = new Map<string, Grant>();
  const store: GrantStore = {
    load: async () => [...kept.values()],
    put: async (grant) => void kept.set(grant.id, grant),
    remove: async (id) => void kept.delete(id),
  };
  return { kept, store };
}
