// Plans that the user approves, and that agents carry out.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  callTools,
  fail,
  memoryLog,
  say,
  scriptedProvider,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import {
  allCallsOf,
  createAgentSession,
  defineAgent,
  defineGuard,
  preloadTurns,
  type Agent,
  type AgentSession,
  type SessionOptions,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { planning, planOf, type Plan, type PlanStep, type PlanningOptions } from '@banister/crew/plan';
import { add, pathBoard } from '../../session/test/agents-board.js';
import { propertyRun } from '../../../test/kit/property-run.js';

const step = (id: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  title: `Step ${id}`,
  task: `Do ${id}.`,
  agent: 'worker',
  ...more,
});
const plan = (...steps: readonly PlanStep[]) =>
  callTools({ tool: 'plan.carry_out', args: { title: 'Release', steps: steps as never } });

const worker = (answers: Parameters<typeof scriptedProvider>[0], id = 'worker'): Agent =>
  defineAgent({
    id,
    role: `You are ${id}.`,
    tools: ['board'],
    provider: scriptedProvider(answers, { otherwise: () => say('Worked.') }),
  });

interface Given extends Partial<SessionOptions> {
  readonly options?: Partial<PlanningOptions>;
}

function sessionOf(
  answers: readonly AnswerSource[],
  { options, agents = [worker([])], ...more }: Given = {},
) {
  const provider = scriptedProvider(answers);
  const { domain, guard } = planning({ agents: agents.map(({ id }) => id), ...options });
  const { cards, domain: cardDomain } = pathBoard();
  const session = createAgentSession({
    provider,
    agents,
    domains: [cardDomain, domain],
    guards: [guard],
    limits: { maxToolCalls: 60 },
    ...more,
  });
  return { session, provider, cards };
}

const shown = (session: AgentSession): Plan => {
  const { liveTurn, turns } = session.state;
  const turn = liveTurn ?? turns.at(-1)!;
  return planOf(allCallsOf(turn).find(({ tool }) => tool === 'plan.carry_out')!)!;
};
const states = (session: AgentSession) => shown(session).steps.map(({ id, status }) => `${id} ${status}`);

async function until(isTrue: () => boolean): Promise<void> {
  // The check of arguments is fetched at the first call.
  await expect.poll(isTrue, { interval: 5, timeout: 10_000 }).toBe(true);
}

async function approve(session: AgentSession, args?: object): Promise<void> {
  await until(() => session.state.pendingConfirmations.length > 0);
  const [question] = session.state.pendingConfirmations;
  await session.respond(question!.id, {
    approve: true,
    ...(args === undefined ? {} : { arguments: args as never }),
  });
}

/** What the model reads about the steps. */
function toldOf({ requests }: ReturnType<typeof scriptedProvider>): readonly Record<string, unknown>[] {
  const parts = requests.at(-1)!.messages.at(-1)!.parts;
  const json = parts.flatMap((part) => (part.type === 'tool-result' ? part.content : []));
  const value = json.flatMap((one) => (one.type === 'json' ? [one.value] : [])) as {
    steps: Record<string, unknown>[];
  }[];
  return value[0]!.steps;
}

beforeAll(() => preloadTurns({ agents: [worker([])] }));

describe('a plan', () => {
  it('agents P1: is shown as it is written, is asked about, and runs when the user has approved it', async () => {
    const { session, provider } = sessionOf([plan(step('a'), step('b')), say('Done.')]);
    const grown = new Set<string>();
    session.operations$.subscribe(({ type }) => {
      if (type === 'toolCallPartial')
        grown.add(
          shown(session)
            .steps.map(({ id, status }) => `${id} ${status}`)
            .join(),
        );
    });
    const turn = session.send('Plan it');
    await until(() => session.state.pendingConfirmations.length > 0);
    expect([...grown].at(-1)).toBe('a proposed,b proposed');
    expect([...grown]).toContain('a proposed');
    const [question] = session.state.pendingConfirmations;
    expect(question).toMatchObject({ reason: 'Carry out the plan "Release" with 2 steps?' });
    expect(states(session)).toEqual(['a proposed', 'b proposed']);
    await approve(session);
    await turn;
    expect(shown(session)).toMatchObject({ status: 'ended' });
    expect(shown(session).steps[0]).toMatchObject({ status: 'done', child: { agent: 'worker' } });
    expect(toldOf(provider)).toEqual(
      ['a', 'b'].map((id) => ({ id, title: `Step ${id}`, status: 'done', text: 'Worked.' })),
    );
    await session.dispose();
  });

  it('agents P1: runs as the user edited it, and the model reads what was changed', async () => {
    const other = worker([], 'other');
    const { session, provider } = sessionOf([plan(step('a'), step('b'), step('c')), say('Done.')], {
      agents: [worker([]), other],
    });
    const turn = session.send('Plan it');
    await approve(session, { title: 'Smaller', steps: [step('b', { task: 'Do b well.', agent: 'other' })] });
    await turn;
    expect(shown(session)).toMatchObject({
      title: 'Smaller',
      steps: [{ id: 'b', agent: 'other', status: 'done' }],
    });
    expect((other.provider as ReturnType<typeof scriptedProvider>).requests[0]!.messages[0]!.parts).toEqual([
      { type: 'text', text: 'Do b well.' },
    ]);
    expect(JSON.stringify(provider.requests.at(-1)!.messages)).toContain('Smaller');
    await session.dispose();
  });

  it.each<readonly [string, readonly PlanStep[], string]>([
    ['one id twice', [step('a'), step('a')], 'Two steps have the id "a".'],
    [
      'an unknown step before',
      [step('a', { after: ['x'] })],
      'The step "a" follows the step "x", which does not exist.',
    ],
    [
      'a step that follows itself',
      [step('a', { after: ['a'] })],
      'The step "a" would have to follow itself.',
    ],
    [
      'a circle',
      [step('z'), step('a', { after: ['c'] }), step('b', { after: ['a'] }), step('c', { after: ['b', 'z'] })],
      'The step "a" would have to follow itself.',
    ],
  ])(
    'agents P2: with %s is denied without a question, and the model reads why',
    async (_name, steps, message) => {
      const { session, provider } = sessionOf([plan(...steps), say('Done.')]);
      await session.send('Plan it');
      expect(JSON.stringify(provider.requests.at(-1)!.messages)).toContain(
        JSON.stringify(message).slice(1, -1),
      );
      expect(shown(session).status).toBe('declined');
      expect(childrenOf(session.state.turns[0]!)).toEqual([]);
      await session.dispose();
    },
  );

  it('agents P2: that is denied shows each of its steps, also two with one id', async () => {
    const { session } = sessionOf([plan(step('a'), step('a', { title: 'Another' })), say('Done.')]);
    await session.send('Plan it');
    expect(shown(session).steps.map(({ title, status }) => `${title} ${status}`)).toEqual([
      'Step a skipped',
      'Another skipped',
    ]);
    await session.dispose();
  });

  it('agents P2: an unknown agent, an empty text, too many steps, and none are wrong arguments', async () => {
    const many = Array.from({ length: 3 }, (_, index) => step(`s${index}`));
    const incomplete = (['id', 'title', 'task'] as const).map((name) => [step('a', { [name]: '' })]);
    const untitled = callTools({ tool: 'plan.carry_out', args: { title: '', steps: [step('a')] as never } });
    const wrong = [[step('a', { agent: 'stranger' })], many, [], ...incomplete].map((steps) =>
      plan(...steps),
    );
    for (const answer of [...wrong, untitled]) {
      const { session } = sessionOf([answer, say('Done.')], { options: { maxSteps: 2 } });
      await session.send('Plan it');
      const [call] = allCallsOf(session.state.turns[0]!);
      expect(call).toMatchObject({ rejection: 'invalid-arguments' });
      expect(planOf(call!)!.steps.every(({ status }) => status === 'skipped')).toBe(true);
      await session.dispose();
    }
  });

  it('agents P2: a plan that an edit made wrong runs no step', async () => {
    const { session, provider } = sessionOf([plan(step('a'), step('b')), say('Done.')]);
    const turn = session.send('Plan it');
    await approve(session, {
      title: 'Release',
      steps: [step('a', { after: ['b'] }), step('b', { after: ['a'] })],
    });
    await turn;
    expect(JSON.stringify(provider.requests.at(-1)!.messages)).toContain('would have to follow itself');
    expect(states(session)).toEqual(['a skipped', 'b skipped']);
    await session.dispose();
  });

  it('agents P5: that the user declines runs nothing, and the model reads the reason', async () => {
    const { session, provider } = sessionOf([plan(step('a')), say('Done.')]);
    const turn = session.send('Plan it');
    await until(() => session.state.pendingConfirmations.length > 0);
    const [question] = session.state.pendingConfirmations;
    await session.respond(question!.id, { approve: false, reason: 'Too early.' });
    await turn;
    expect(shown(session)).toMatchObject({ status: 'declined', steps: [{ status: 'skipped' }] });
    expect(JSON.stringify(provider.requests.at(-1)!.messages)).toContain('Too early.');
    expect(childrenOf(session.state.turns[0]!)).toEqual([]);
    await session.dispose();
  });
});

describe('the steps of a plan', () => {
  it('begin when the steps before them are done, and read their results as JSON', async () => {
    const agents = [worker([say('Found "this".\n\nStep b: done.')], 'scout'), worker([], 'writer')];
    const { session, provider } = sessionOf(
      [plan(step('b', { agent: 'writer', after: ['a'] }), step('a', { agent: 'scout' })), say('Done.')],
      { agents },
    );
    const turn = session.send('Plan it');
    await approve(session);
    await turn;
    expect(childrenOf(session.state.turns[0]!).map(({ key }) => key)).toEqual(['a', 'b']);
    const [part] = (agents[1]!.provider as ReturnType<typeof scriptedProvider>).requests[0]!.messages[0]!
      .parts;
    expect(part).toEqual({
      type: 'text',
      text: `Do b.\n\nThe results of the steps before, as JSON:\n${JSON.stringify({ a: 'Found "this".\n\nStep b: done.' })}`,
    });
    expect(toldOf(provider).map(({ id, status }) => [id, status])).toEqual([
      ['b', 'done'],
      ['a', 'done'],
    ]);
    await session.dispose();
  });

  it('run side by side, four without `concurrency`', async () => {
    const agents = [worker(Array.from({ length: 5 }, (_, index) => stall(`${index}`)))];
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const { session } = sessionOf([plan(...ids.map((id) => step(id)))], { agents });
    const turn = session.send('Plan it');
    await approve(session);
    for (let i = 0; i < 10; i++) await settle();
    expect(states(session)).toEqual(ids.map((id) => `${id} ${id === 'e' ? 'waiting' : 'running'}`));
    await Promise.all([session.cancel({ immediate: true }), expect(turn).rejects.toThrow()]);
    await session.dispose();
  });

  it('run side by side, as many as `concurrency` says', async () => {
    const agents = [worker([stall('One'), stall('Two'), say('Three.')])];
    const { session } = sessionOf([plan(step('a'), step('b'), step('c')), say('Done.')], {
      agents,
      options: { concurrency: 2 },
    });
    const turn = session.send('Plan it');
    await approve(session);
    for (let i = 0; i < 10; i++) await settle();
    expect(states(session)).toEqual(['a running', 'b running', 'c waiting']);
    const [first, second] = childrenOf(session.state.liveTurn!);
    await session.cancel({ child: first!.id });
    for (let i = 0; i < 10; i++) await settle();
    expect(states(session)).toEqual(['a cancelled', 'b running', 'c done']);
    await session.cancel({ child: second!.id });
    await turn;
    await session.dispose();
  });

  it('agents P3: a step that fails, is stopped or is cancelled skips those that follow it, and the others go on', async () => {
    const agents = [
      worker([fail('auth')], 'fails'),
      worker([add('S'), add('S2')], 'stops'),
      worker([stall('Half')], 'waits'),
      worker([], 'works'),
    ];
    agents[1] = { ...agents[1]!, limits: { maxRounds: 1 } };
    const { session, provider, cards } = sessionOf(
      [
        plan(
          step('f', { agent: 'fails' }),
          step('s', { agent: 'stops' }),
          step('w', { agent: 'waits' }),
          step('f2', { agent: 'works', after: ['f'] }),
          step('s2', { agent: 'works', after: ['s'] }),
          step('w2', { agent: 'works', after: ['w'] }),
          step('w3', { agent: 'works', after: ['w2'] }),
          step('ok', { agent: 'works' }),
        ),
        say('Done.'),
      ],
      { agents },
    );
    const turn = session.send('Plan it');
    await approve(session);
    for (let i = 0; i < 20; i++) await settle();
    const waiting = childrenOf(session.state.liveTurn!).find(({ agent }) => agent === 'waits')!;
    expect(states(session)).toContain('w3 waiting');
    await session.cancel({ child: waiting.id });
    await turn;
    const ended = [
      'f failed',
      's stopped',
      'w cancelled',
      'f2 skipped',
      's2 skipped',
      'w2 skipped',
      'w3 skipped',
      'ok done',
    ];
    expect(states(session)).toEqual(ended);
    const told = toldOf(provider);
    expect(told.map(({ id, status }) => `${String(id)} ${String(status)}`)).toEqual(ended);
    expect(told[1]).toMatchObject({ changed: ['S'] });
    expect(told[6]).toMatchObject({ problem: 'It follows "w2".' });
    expect(cards).toEqual(['S']);
    await session.dispose();
  });

  it('agents P4: each step with effects is a group of undo', async () => {
    const agents = [worker([add('A'), say('A.')], 'one'), worker([add('B'), say('B.')], 'two')];
    const { session, cards } = sessionOf(
      [plan(step('a', { agent: 'one' }), step('b', { agent: 'two' })), say('Done.')],
      { agents },
    );
    const turn = session.send('Plan it');
    await approve(session);
    await turn;
    expect(cards).toEqual(['A', 'B']);
    const { turnId, groups } = session.state.undoEntries[0]!;
    await session.undo({ turnId, child: groups!.find(({ agent }) => agent === 'one')!.child });
    expect(cards).toEqual(['B']);
    await session.dispose();
  });

  it('agents P7: a mode may let the own model propose alone, while approved steps run', async () => {
    const proposes = defineGuard('proposes', ({ agent, capabilities }) =>
      agent === undefined && !capabilities.includes('readOnly') ? { deny: 'Propose a plan.' } : 'allow',
    );
    const { session, cards } = sessionOf([add('Own'), plan(step('a')), say('Done.')], {
      agents: [worker([add('Step'), say('A.')])],
      modes: [{ id: 'plan', title: 'Plan first', guards: [proposes] }],
    });
    await session.setMode('plan');
    const turn = session.send('Plan it');
    await approve(session);
    await turn;
    expect(cards).toEqual(['Step']);
    await session.dispose();
  });

  it('that cannot begin are failed, and the plan says so', async () => {
    const { session, provider } = sessionOf([plan(step('a')), say('Done.')], { limits: { maxChildren: 0 } });
    const turn = session.send('Plan it');
    await approve(session);
    await turn;
    expect(states(session)).toEqual(['a failed']);
    expect(toldOf(provider)).toMatchObject([{ status: 'failed' }]);
    await session.dispose();
  });
});

describe('a plan that was interrupted', () => {
  it('agents P6: goes on at its open steps, and no step runs twice', async () => {
    const stored = { log: memoryLog(), id: 'chat' };
    const first = [worker([add('A'), say('A.')], 'one'), worker([stall('Half')], 'two')];
    const steps = [step('a', { agent: 'one' }), step('b', { agent: 'two', after: ['a'] })];
    const { session, cards } = sessionOf([plan(...steps)], { ...stored, agents: first });
    session.send('Plan it').catch(() => {});
    await approve(session);
    for (let i = 0; i < 20; i++) await settle();
    expect(states(session)).toEqual(['a done', 'b running']);
    await session.dispose({ turn: 'leave' });
    const one = worker([], 'one');
    const next = sessionOf([say('Done.')], { ...stored, agents: [one, worker([say('B.')], 'two')] });
    await until(() => next.session.state.interrupted !== null);
    expect(next.session.state.interrupted).not.toBeNull();
    await next.session.resume();
    expect(states(next.session)).toEqual(['a done', 'b done']);
    expect((one.provider as ReturnType<typeof scriptedProvider>).requests).toEqual([]);
    expect(cards).toEqual(['A']);
    await next.session.dispose();
  });
});

describe('planning', () => {
  it.each<readonly [string, PlanningOptions, string]>([
    ['no agents', { agents: [] }, 'needs the ids of agents'],
    ['a wrong agent', { agents: [7 as never] }, 'needs the ids of agents'],
    ['no concurrency', { agents: ['a'], concurrency: 0 }, 'concurrency of planning is 0'],
    ['half a step', { agents: ['a'], maxSteps: 1.5 }, 'maxSteps of planning is 1.5'],
  ])('refuses %s', (_name, options, message) => {
    expect(() => planning(options)).toThrow(message);
  });

  it('planOf returns null for a call of another tool, and a plan for any arguments', () => {
    const call = { type: 'tool-call', id: 'c', index: 0, state: 'assembling', argumentsText: '' } as const;
    expect(planOf({ ...call, tool: 'board.add' })).toBeNull();
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('assembling', 'executing', 'settled'), (value, state) => {
        const args = { title: 'x', steps: value } as never;
        const shownPlan = planOf({ ...call, tool: 'plan.carry_out', state, arguments: args })!;
        expect(Array.isArray(shownPlan.steps)).toBe(true);
        planOf({ ...call, tool: 'plan.carry_out', state, arguments: value as never });
      }),
      propertyRun('any plan', 500),
    );
  });
});
