// Messages that steer a child turn.
import { beforeAll, describe, expect, it } from 'vitest';
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
import { defineAgent, defineTool, importedState, type Agent, type Operation } from '@banister/session';
import { savedState } from '@banister/session/log';
import { childrenOf, fold, fromStored, initialState } from '@banister/session/operations';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, rejection, type FixtureOptions } from './fixture.js';
import { lossyWorld } from './lossy-world.js';
import { createSession, opened, recordsOf } from './opened.js';

beforeAll(agentsLoaded);

const work = defineTool({
  name: 'work',
  description: 'Lets agents work.',
  parameters: { type: 'object', properties: { agents: { type: 'array', items: { type: 'string' } } } },
  capabilities: ['readOnly'],
  async execute({ agents = [] }, { run }) {
    const ended = await Promise.all((agents as string[]).map((id) => run(id, `Work, ${id}.`)));
    return ended.map(({ status, text }) => `${status}: ${text}`).join('\n');
  },
});
const domains = [{ id: 'crew', tools: [work] }];
const working = (...agents: readonly string[]) => callTools({ tool: 'crew.work', args: { agents } });

/** An agent, with the texts that its requests have. */
function agent(
  id: string,
  answers: readonly AnswerSource[],
): Agent & { readonly read: () => readonly string[] } {
  const provider = scriptedProvider(answers);
  const texts = () =>
    provider.requests
      .at(-1)!
      .messages.flatMap(({ role, parts }) =>
        parts.flatMap((part) => (role === 'user' && part.type === 'text' ? [part.text] : [])),
      );
  return { ...defineAgent({ id, role: `You are ${id}.`, provider }), read: texts };
}

/** A session whose agents run, with the ids of their child turns. */
async function running(
  agents: readonly Agent[],
  answers: readonly AnswerSource[] = [],
  more: FixtureOptions = {},
) {
  const f = fixture([working(...agents.map(({ id }) => id)), ...answers], { domains, agents, ...more });
  const turn = f.session.send('Go');
  turn.catch(() => {});
  await settle();
  const children = childrenOf(f.session.state.liveTurn!).map(({ id }) => id);
  return { f, turn, children };
}

/** An agent that waits in its first answer, and the function that lets it go on. */
function waiting(id: string, ...answers: readonly AnswerSource[]) {
  const more = gate();
  return { one: agent(id, [say(['First', more, '.']), ...answers]), goOn: () => more.open() };
}

const steeredIn = (operations: readonly Operation[]) =>
  operations.flatMap((one) => {
    const fact = one.type === 'subagent' ? one.inner : one;
    return fact.type === 'steered' ? [one.type === 'subagent' ? one.path.at(-1) : 'turn'] : [];
  });

it('agents C37 a message joins the next round of its child turn, and no other turn reads it', async () => {
  const a = waiting('a', say('Second.'));
  const b = waiting('b');
  const { f, turn, children } = await running([a.one, b.one], [say('Done.')]);
  await using _ = f;
  const steered = f.session.steer('Shorter', { child: children[0] });
  expect(f.session.queue.value).toMatchObject([{ input: 'Shorter', steering: true, child: children[0] }]);
  b.goOn();
  await settle();
  expect(f.session.queue.value).toHaveLength(1);
  a.goOn();
  expect(await steered).toBe('joined');
  await turn;
  expect(f.session.queue.value).toEqual([]);
  expect(steeredIn(f.observed.operations)).toEqual([children[0]]);
  expect(a.one.read()).toEqual(['Work, a.', 'Shorter']);
  expect(b.one.read()).toEqual(['Work, b.']);
  const [first] = childrenOf(f.session.state.turns[0]!);
  expect(first!.rounds[0]!.parts.at(-1)).toMatchObject({ type: 'steering', message: { role: 'user' } });
  expect(f.session.state.conversation.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
});

it('agents C37 a message for the turn waits for the turn, and no child turn reads it', async () => {
  const a = waiting('a');
  const { f, turn } = await running([a.one], [say('Done.')]);
  await using _ = f;
  const steered = f.session.steer('For you');
  a.goOn();
  expect(await steered).toBe('joined');
  await turn;
  expect(steeredIn(f.observed.operations)).toEqual(['turn']);
  expect(a.one.read()).toEqual(['Work, a.']);
});

it('agents C37 messages for the turn and for child turns join in the order of each', async () => {
  const a = waiting('a', say('Second.'));
  const { f, turn, children } = await running([a.one], [say('Done.')]);
  await using _ = f;
  const ends = Promise.all([
    f.session.steer('For you'),
    f.session.steer('One', { child: children[0] }),
    f.session.steer('Two', { child: children[0] }),
  ]);
  a.goOn();
  expect(await ends).toEqual(['joined', 'joined', 'joined']);
  await turn;
  expect(steeredIn(f.observed.operations)).toEqual([children[0], children[0], 'turn']);
  expect(a.one.read()).toEqual(['Work, a.', 'One', 'Two']);
});

it.each([
  ['is cancelled', 'cancel'],
  ['fails', 'fail'],
  ['has no further round', 'limit'],
  ['ends with its turn', 'abort'],
] as const)('agents C37 a message resolves cancelled if its child turn %s', async (_why, how) => {
  const more = gate();
  const one = agent('a', how === 'fail' ? [say(['First', more]), fail('auth')] : [say(['First', more])]);
  const limits = how === 'limit' ? { limits: { maxRounds: 1 } } : {};
  const { f, turn, children } = await running([{ ...one, ...limits }], [say('Done.')], {
    looseScript: true,
    reportsErrors: true,
  });
  await using _ = f;
  const child = children[0]!;
  const ends: Promise<string>[] = [];
  const steer = () => void ends.push(f.session.steer('Shorter', { child }));
  // The first message joins, and the request of the next round fails after the second message.
  if (how === 'fail')
    f.session.operations$.subscribe((one) => {
      if (one.type === 'subagent' && one.inner.type === 'modelCallStarted' && ends.length === 1) steer();
    });
  steer();
  if (how === 'cancel') await f.session.cancel({ child });
  else if (how === 'abort') await f.session.cancel({ immediate: true });
  else more.open();
  await settle();
  expect(await ends.at(-1)).toBe('cancelled');
  expect(f.session.queue.value).toEqual([]);
  expect(f.session.queuePaused.value).toBe(false);
  await turn.catch(() => {});
});

it('agents C37, 5.13 a message for a child turn that has ended, or is unknown, resolves cancelled', async () => {
  const a = waiting('a');
  const { f, turn, children } = await running([a.one], [say('Done.')]);
  await using _ = f;
  expect(await f.session.steer('Hm', { child: 'turn_99' })).toBe('cancelled');
  a.goOn();
  await turn;
  expect(await f.session.steer('Hm', { child: children[0] })).toBe('cancelled');
  expect(f.session.queue.value).toEqual([]);
  expect(f.observed.types).not.toContain('queued');
  expect(f.session.isRunning.value).toBe(false);
  for (const options of [{ child: '' }, { agent: 'a' }, 'turn_2'] as never[])
    expect((await rejection(f.session.steer('Hm', options))).code).toBe('invalid-configuration');
});

it('agents C37 a message for a child turn is removed and changed like any other', async () => {
  const a = waiting('a', say('Second.'));
  const { f, turn, children } = await running([a.one], [say('Done.')]);
  await using _ = f;
  const [one, two] = ['One', 'Two'].map((text) => f.session.steer(text, { child: children[0] }));
  const [first, second] = f.session.queue.value;
  expect(await f.session.requeue(second!.id, { input: 'Changed', before: first!.id })).toBe(true);
  expect(f.session.queue.value).toMatchObject([{ input: 'Changed', child: children[0] }, { input: 'One' }]);
  expect(await f.session.dequeue(first!.id)).toBe(true);
  expect(await one).toBe('cancelled');
  a.goOn();
  expect(await two).toBe('joined');
  await turn;
  expect(a.one.read()).toEqual(['Work, a.', 'Changed']);
});

it('agents C37 a message of a follower joins the child turn', async () => {
  const world = lossyWorld();
  const a = waiting('a', say('Second.'));
  const one = await world.open([working('a'), say('Done.')], { domains, agents: [a.one] });
  const turn = one.session.send('Go');
  await settle();
  const two = await world.open([], { domains, agents: [a.one] });
  const [child] = childrenOf(one.session.state.liveTurn!);
  const steered = two.session.steer('Shorter', { child: child!.id });
  await world.clock.advance(100);
  expect(two.session.queue.value).toMatchObject([{ child: child!.id }]);
  a.goOn();
  await world.clock.advance(100);
  expect(await steered).toBe('joined');
  await turn;
  expect(a.one.read()).toEqual(['Work, a.', 'Shorter']);
  await world.clock.advance(10_000);
  for (const { session } of [one, two]) await session.dispose();
});

it('agents C37 an imported state has no message for a child turn', async () => {
  const { f, children } = await running([agent('a', [stall('First')])], [], { looseScript: true });
  await using _ = f;
  void f.session.steer('For the agent', { child: children[0] });
  void f.session.enqueue('Later');
  expect(importedState(f.session.state).queue).toMatchObject([{ input: 'Later' }]);
});

it('agents C37 a message joins a child turn inside a child turn, and no turn above it', async () => {
  const inner = waiting('inner', say('Second.'));
  const outer = { ...agent('outer', [working('inner'), say('Led.')]), tools: ['crew'] };
  const { f, turn } = await running([outer], [say('Done.')], {
    agents: [outer, inner.one],
    limits: { maxDepth: 2 },
  });
  await using _ = f;
  const [above, child] = childrenOf(f.session.state.liveTurn!);
  expect([above!.agent, child!.agent]).toEqual(['outer', 'inner']);
  const steered = f.session.steer('Shorter', { child: child!.id });
  inner.goOn();
  expect(await steered).toBe('joined');
  await turn;
  expect(steeredIn(f.observed.operations)).toEqual([child!.id]);
  expect(outer.read()).toEqual(['Work, outer.']);
});

it('agents C37 a message is checked for the model of the child turn', async () => {
  const sees = waiting('a', say('Second.'));
  const provider = scriptedProvider([say('First.')], { images: false });
  const { f, turn, children } = await running(
    [{ ...sees.one, provider: scriptedProvider([stall('First')], { images: true }) }],
    [],
    { looseScript: true, scripted: { images: false } },
  );
  await using _ = f;
  const image = { mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
  const refused = rejection(f.session.steer({ text: 'See', images: [image] }));
  expect(await refused).toMatchObject({ code: 'unsupported' });
  void f.session.steer({ text: 'See', images: [image] }, { child: children[0] });
  await settle();
  expect(f.session.queue.value).toMatchObject([{ child: children[0], input: { text: 'See' } }]);
  await f.session.cancel({ immediate: true });
  await turn.catch(() => {});
  expect(provider.requests).toEqual([]);
});

it('agents C10, C37 a message joins a round of work, and no round that asks for the output', async () => {
  const asked = gate();
  const tool = defineTool({
    name: 'ask',
    description: 'Asks for an output.',
    parameters: { type: 'object' },
    capabilities: ['readOnly'],
    async execute(_args, { run }) {
      const output = { type: 'object', properties: { title: { type: 'string' } } } as const;
      return JSON.stringify((await run('a', 'Name it', { output })).output ?? null);
    },
  });
  const worker = agent('a', [say('Ready.'), say('Ready again.'), say(['{"title":', asked, '"B"}'])]);
  const f = fixture([callTools({ tool: 'crew.ask', args: {} }), say('Done.')], {
    domains: [{ id: 'crew', tools: [tool, work] }],
    agents: [{ ...worker, tools: ['crew.work'] }],
  });
  await using _ = f;
  const ends: Promise<string>[] = [];
  f.session.operations$.subscribe((one) => {
    // During the work, and during the output.
    if (one.type === 'subagent' && one.inner.type === 'modelCallStarted' && one.inner.attempt === 1)
      if (ends.length === 0) ends.push(f.session.steer('Call it B', { child: one.path[0] }));
    if (one.type === 'subagent' && one.inner.type === 'outputArrived' && ends.length === 1)
      ends.push(f.session.steer('Too late', { child: one.path[0] }));
  });
  const turn = f.session.send('Go');
  await settle();
  await settle();
  asked.open();
  await turn;
  expect(await Promise.all(ends)).toEqual(['joined', 'cancelled']);
  const [child] = childrenOf(f.session.state.turns[0]!);
  expect(child).toMatchObject({ status: 'completed', structured: { afterWork: true } });
  expect(child!.rounds.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
    ['text', 'steering'],
    ['text'],
    ['text'],
  ]);
});

describe('a message for a child turn, after a reload', () => {
  /** Leaves a session whose agent waits in its answer, with a message for the child turn, and opens its log again. */
  async function reloaded(answers: readonly AnswerSource[], agents: (one: Agent) => readonly Agent[]) {
    const before: Operation[] = [];
    const one = createSession([working('a')], { domains, agents: [agent('a', [stall('First')])] });
    one.session.operations$.subscribe((operation) => before.push(operation));
    one.session.send('Go').catch(() => {});
    await settle();
    const [child] = childrenOf(one.session.state.liveTurn!);
    one.session.steer('Shorter', { child: child!.id }).catch(() => {});
    one.session.enqueue('Later').catch(() => {});
    await one.session.dispose({ turn: 'leave' });
    const next = agent('a', [say('First.'), say('Second.')]);
    const two = createSession(answers, {
      domains,
      agents: agents(next),
      restored: { snapshot: null, records: recordsOf([before]) },
    });
    await opened(two.session);
    expect(two.session.queue.value).toMatchObject([
      { input: 'Shorter', steering: true, child: child!.id },
      { input: 'Later', steering: false },
    ]);
    return { ...two, next, child: child!.id, all: () => [...before, ...two.operations] };
  }

  it('agents C37, C51 joins the next round of the child turn that goes on', async () => {
    const { session, next, child, all } = await reloaded([say('Done.')], (one) => [one]);
    const more = session.steer('And kinder', { child });
    await session.resume();
    expect(await more).toBe('joined');
    expect(next.read()).toEqual(['Work, a.', 'Shorter', 'And kinder']);
    expect(session.queue.value).toMatchObject([{ input: 'Later' }]);
    expect(checkOrder(all())).toEqual([]);
    await session.dispose();
  });

  it.each([
    ['the turn is abandoned', 'abandon', true],
    ['the session lacks the agent', 'resume', false],
  ] as const)('agents C37, C54 leaves the queue if %s', async (_why, how, hasAgent) => {
    const answers = how === 'resume' ? [say('Done.')] : [];
    const { session, all } = await reloaded(answers, (one) => (hasAgent ? [one] : []));
    await session[how]();
    expect(session.queue.value).toMatchObject([{ input: 'Later', steering: false }]);
    expect(checkOrder(all())).toEqual([]);
    await session.dispose();
  });

  it('agents C37 the log and a snapshot have the child turn of a message', async () => {
    const { session, child, all } = await reloaded([], (one) => [one]);
    const state = fold(initialState(), fromStored(initialState(), recordsOf([all()])[0]!));
    expect(state.queue).toMatchObject([{ input: 'Shorter', child }, { input: 'Later' }]);
    const restored = { snapshot: savedState(session.state), records: [] };
    const third = createSession([], { domains, agents: [agent('a', [])], restored });
    await opened(third.session);
    expect(third.session.queue.value).toEqual(session.queue.value);
    for (const one of [session, third.session]) await one.dispose({ turn: 'leave' });
  });
});
