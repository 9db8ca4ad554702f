// A session with agents, the relay, and a gateway whose policy depends on the agent, over sockets.
import { relay } from '@banister/relay';
import { withFallback, type ProviderRequest } from '@banister/provider';
import {
  compaction,
  createAgentSession,
  defineDomain,
  defineTool,
  type Agent,
  type SessionOptions,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { callTools, fail, say, scriptedProvider, spyTool, type ScriptedAnswer } from '@banister/testing';
import type { AnswerReport, GatewayOptions, Policy } from '@banister/gateway';
import { expect, it } from 'vitest';
import { anyUser, serveGateway } from './kit/served-gateway.js';

const delegate = callTools({ tool: 'banister.delegate', args: { agent: 'scout', task: 'Look around.' } });
const look = callTools({ tool: 'board.look', args: {} });

const scout: Agent = {
  id: 'scout',
  description: 'Looks around.',
  role: 'You look around.',
  tools: ['board.look'],
};

/** A session whose provider is a relay to a gateway with this policy. The model answers by the agent of a request. */
async function table(
  policy: Policy,
  answers: { readonly own: readonly ScriptedAnswer[]; readonly scout: readonly ScriptedAnswer[] },
  {
    options = {},
    ...more
  }: Partial<GatewayOptions> & { readonly options?: Partial<SessionOptions> | undefined } = {},
) {
  const own = [...answers.own];
  const ofScout = [...answers.scout];
  const provider = scriptedProvider([], {
    otherwise: ({ agent }) => (agent === 'scout' ? ofScout : own).shift() ?? fail('server'),
    validate: false,
    contextWindow: 7_000,
  });
  const reports: AnswerReport[] = [];
  const gateway = await serveGateway({
    provider,
    ...anyUser,
    policy,
    onUsage: (report) => void reports.push(report),
    ...more,
  });
  const tools = [spyTool('look', { capabilities: ['readOnly'] }), spyTool('add')];
  const session = createAgentSession({
    provider: relay(gateway.url),
    domains: [defineDomain({ id: 'board', tools })],
    agents: [scout],
    limits: { maxToolCalls: 60, timeoutMs: 300_000, maxRetries: 0 },
    ...options,
  });
  return {
    session,
    reports,
    url: gateway.url,
    agents: () => provider.requests.map(({ agent }: ProviderRequest) => agent),
    requests: provider.requests,
    async [Symbol.asyncDispose]() {
      await session.dispose();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

it('agents: each request of a child turn names its agent, and the policy of the agent decides about it', async () => {
  const policy: Policy = {
    role: 'You help with a board.',
    tools: ['board.*', 'banister.*'],
    agents: { scout: { role: 'You look, and change nothing.', tools: ['board.look'] } },
  };
  await using f = await table(policy, {
    own: [delegate, say('Done.')],
    scout: [look, say('Two rooms are free.')],
  });
  expect((await f.session.send('Go')).text).toBe('Done.');
  expect(f.agents()).toEqual([undefined, 'scout', 'scout', undefined]);
  expect(f.requests.map(({ system }) => system)).toEqual([
    'You help with a board.',
    'You look, and change nothing.',
    'You look, and change nothing.',
    'You help with a board.',
  ]);
  expect(f.reports.map(({ agent, status }) => [agent, status])).toEqual([
    [undefined, 'completed'],
    ['scout', 'completed'],
    ['scout', 'completed'],
    [undefined, 'completed'],
  ]);
});

it('agents: a child turn whose agent may not use a tool fails with the refusal, and the turn goes on', async () => {
  const policy: Policy = { free: true, agents: { scout: { tools: ['board.add'] } } };
  await using f = await table(policy, { own: [delegate, say('Then not.')], scout: [] });
  expect((await f.session.send('Go')).text).toBe('Then not.');
  expect(childrenOf(f.session.state.turns[0]!)).toMatchObject([
    { status: 'failed', outcome: { error: { code: 'unsupported', details: { tool: 'board.look' } } } },
  ]);
  expect(f.agents()).toEqual([undefined, undefined]);
});

it('agents: a child turn whose agent has no quota left fails with `quota`, and the turn has its own', async () => {
  const policy: Policy = { free: true, agents: { scout: { roundsPerMinute: 1 } } };
  await using f = await table(policy, { own: [delegate, say('Then not.')], scout: [look] });
  expect((await f.session.send('Go')).text).toBe('Then not.');
  expect(childrenOf(f.session.state.turns[0]!)).toMatchObject([
    { status: 'failed', outcome: { error: { code: 'rate-limit', details: { limit: 'roundsPerMinute' } } } },
  ]);
  expect(f.agents()).toEqual([undefined, 'scout', undefined]);
});

it('agents: an agent that the policy does not list fails with the refusal', async () => {
  await using f = await table({ free: true, agents: {} }, { own: [delegate, say('Then not.')], scout: [] });
  expect((await f.session.send('Go')).text).toBe('Then not.');
  expect(childrenOf(f.session.state.turns[0]!)).toMatchObject([
    { status: 'failed', outcome: { error: { code: 'unsupported', details: { agent: 'scout' } } } },
  ]);
});

it('agents: a provider of a fallback, and the summary of the conversation of an agent, get the agent too', async () => {
  const long = 'question '.repeat(400);
  const task = Array.from({ length: 4 }, () => callTools({ tool: 'crew.work', args: { task: long } }));
  const work = defineTool({
    name: 'work',
    description: 'Lets the agent work.',
    parameters: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
    execute: async ({ task: given }, { run }) => (await run('scout', given, { thread: 'work' })).status,
  });
  const ofScout = [say(long), say(long), say(long), say('A summary.'), say(long)];
  await using f = await table(
    { free: true },
    { own: task.flatMap((call) => [call, say('Done.')]), scout: ofScout },
    { options: { domains: [{ id: 'crew', tools: [work] }], agents: [] } },
  );
  const model = relay(f.url);
  const overloaded = scriptedProvider([], { otherwise: fail('overloaded'), contextWindow: 7_000 });
  await model.ready();
  const agent: Agent = {
    id: 'scout',
    role: 'You look around.',
    provider: withFallback([overloaded, model]),
    compaction: compaction(),
  };
  f.session.configure({ agents: [agent] });
  for (let turn = 0; turn < 4; turn++) expect((await f.session.send('Go')).text).toBe('Done.');
  const ofAgent = f.requests.filter((request) => request.agent === 'scout');
  expect(ofAgent).toHaveLength(5);
  expect(ofAgent.filter(({ idempotencyKey }) => idempotencyKey.endsWith('-summary'))).toHaveLength(1);
  expect(f.requests).toHaveLength(5 + 8);
});
