// The same turn twice: as the turn that the user sent, and as the only child turn of a turn of one line.
import { filter, map } from 'rxjs';
import type { ProviderRequest } from '@banister/provider';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  defineTool,
  type Agent,
  type Domain,
  type LocalAgentSession,
  type Operation,
  type TurnRecord,
} from '@banister/session';
import { childrenOf, fold, initialState } from '@banister/session/operations';
import { callTools, checkOrder, say, validateHistory } from '@banister/testing';
import { agentsLoaded } from './agents-loaded.js';
import { plain, recordOf, requestOf } from './alike.js';
import { compactionLoaded } from './compaction-loaded.js';
import { discoveryLoaded } from './discovery-loaded.js';
import { hooksLoaded } from './hooks-loaded.js';
import { branchScenarios } from './kill/branch-scenarios.js';
import { emptyWorld } from './kill/kill-app.js';
import { play, stageOf, type Scenario, type Stage } from './kill/scenario.js';
import { scenarios } from './kill/scenarios.js';

beforeAll(() => Promise.all([agentsLoaded(), hooksLoaded(), compactionLoaded(), discoveryLoaded()]));

const ROLE = 'You keep a board.';
const START = 'Let it work: ';

/** A tool that runs the agent, which continues its conversation as a session does. */
const crew: Domain = {
  id: 'crew',
  tools: [
    defineTool({
      name: 'work',
      description: 'Lets the agent work.',
      parameters: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
      capabilities: ['readOnly'],
      execute: async ({ task }, { run }) => (await run('worker', task, { thread: 'work' })).status,
    }),
  ],
};

type Changing<T> = { -readonly [Key in keyof T]: T[Key] };

/** The scenario, with each of its turns as a child turn. What is about its turns alone is a setting of the agent. */
function asChild(scenario: Scenario): Scenario {
  const { guards = [], middleware = [], limits = {}, ...options } = scenario.options ?? {};
  const more = scenario.more ?? [];
  const use = options.discovery ? [callTools({ tool: 'banister.use_domain', args: { ids: ['crew'] } })] : [];
  const starts = Object.keys(scenario.turns).map((task) => [
    START + task,
    [...use, callTools({ tool: 'crew.work', args: { task } }), say('Over.')],
  ]);
  const { maxRounds, maxToolCalls, maxTokens, maxRetries } = limits;
  const worker: Changing<Agent> = {
    id: 'worker',
    role: ROLE,
    tools: ['board', ...more.map(({ id }) => id)],
    guards,
    middleware,
    limits: { maxRounds, maxToolCalls, maxTokens },
  };
  return {
    ...scenario,
    turns: { ...scenario.turns, ...(Object.fromEntries(starts) as Scenario['turns']) },
    more: [...more, crew],
    options: { ...options, agents: [worker], limits: { maxRetries } },
    provider: (scripted, clock) => {
      worker.provider = scenario.provider?.(scripted, clock);
      return scripted;
    },
    watch: (session) => scenario.watch?.(sessionOfChild(session)),
  };
}

/** The session as the user of a child turn has it: with the facts of the child turn, and its cancel. */
function sessionOfChild(session: LocalAgentSession): LocalAgentSession {
  const leaves = session.operations$.pipe(
    filter((operation) => operation.type === 'subagent'),
    map(({ inner, ...place }) => ({ ...place, ...inner }) as Operation),
  );
  const child = () => childrenOf(session.state.liveTurn!)[0]!.id;
  const own: Partial<LocalAgentSession> = {
    operations$: leaves,
    send: (text) => session.send(START + String(text)),
    cancel: (options) => session.cancel({ ...options, child: child() }),
  };
  return new Proxy(session, {
    get: (target, key) => (own as typeof target)[key as 'state'] ?? target[key as 'state'],
  });
}

interface Life {
  readonly turns: readonly TurnRecord[];
  readonly requests: readonly ProviderRequest[];
  readonly stage: Stage;
}

async function rootLife(scenario: Scenario): Promise<Life> {
  const stage = stageOf({ ...scenario, options: { ...scenario.options, role: ROLE } }, emptyWorld());
  await play(scenario, stage);
  return { turns: stage.session.state.turns, requests: stage.provider.requests, stage };
}

async function childLife(scenario: Scenario): Promise<Life> {
  const stage = stageOf(asChild(scenario), emptyWorld());
  await play(scenario, { ...stage, session: sessionOfChild(stage.session) });
  const { turns } = stage.session.state;
  const isOwn = ({ messages: [first] }: ProviderRequest) =>
    !first?.parts.some((part) => part.type === 'text' && part.text.startsWith(START));
  expect(turns.map(({ status }) => status)).toEqual(turns.map(() => 'completed'));
  return { turns: turns.flatMap(childrenOf), requests: stage.provider.requests.filter(isOwn), stage };
}

const shown = ({ turns, stage, requests }: Life) =>
  plain({ turns: turns.map(recordOf), cards: stage.app.titles, requests: requests.map(requestOf) });

/** What an agent does not have, or has in another way, by the first words of the names of scenarios. */
const exceptions: Readonly<Record<string, string>> = {
  'agents:': 'It has child turns itself.',
  'more, please:':
    'A limit of an agent stops it (agents C41), and the user is asked about limits of the whole turn.',
  'a limit that fails': 'A limit of an agent stops it (agents C41).',
  'tools that succeed after their time was up':
    'A child turn waits for no history at its commit, so that it has ended before the last late call.',
  'a tool that succeeds after its time was up, in a turn that fails':
    'A late effect is taken back behind the gate of the agents (agents C22), so the child turn reports before it.',
  'discovery: a domain that the model activates':
    'A thread is a conversation: each of its child turns activates its domains.',
  'discovery: a domain that the tool choice': 'A run has no tool choice.',
  'discovery: a tool choice': 'A run has no tool choice.',
  'a tool that has to be called': 'A run has no tool choice.',
  'one tool that has to be called': 'A run has no tool choice.',
  'no tool may be called': 'A run has no tool choice.',
  'an answer that ignores the tool choice': 'A run has no tool choice.',
  'discovery: a branch': 'Branches are of the session.',
  'a retry of a failed turn': 'A child turn that fails is a result, and its run is the retry.',
  'messages ': 'The queue is of the session.',
  'a queue': 'The queue is of the session.',
  'waiting:': 'The turn that the user sent waits for its model, and a child turn fails (agents C6).',
  'attachments:': 'The input of a run has no files.',
  'generate:': 'A command of the session.',
  'review:': 'A review is of the turn that the user sent.',
  'compaction: between two turns': 'A command of the session.',
};

/** Branches are of the session. */
const isException = (scenario: Scenario) =>
  branchScenarios.includes(scenario) ||
  Object.keys(exceptions).some((start) => scenario.name.startsWith(start));

/** A call that records its effect, and is cut before it ends. */
const post: Domain = {
  id: 'post',
  tools: [
    defineTool({
      name: 'send',
      description: 'Sends a letter, and never ends.',
      parameters: { type: 'object' },
      timeoutMs: 1_000,
      async execute(_args, context) {
        context.irreversible('Sent a letter');
        await new Promise<never>(() => {});
      },
    }),
  ],
};

const more: readonly Scenario[] = [
  {
    name: 'a call that is cut after it recorded its effect',
    turns: { Go: [callTools({ tool: 'post.send', args: {} }), say('Done.')] },
    more: [post],
  },
];

describe('the same turn twice', () => {
  it.each(
    [...scenarios, ...more]
      .filter((scenario) => !isException(scenario))
      .map((scenario) => [scenario.name, scenario] as const),
  )('agents C1: is the same as a child turn: %s', async (_name, scenario) => {
    const root = await rootLife(scenario);
    const child = await childLife(scenario);
    expect(root.turns.length).toBeGreaterThan(0);
    expect(shown(child)).toEqual(shown(root));
    const { operations, session, provider } = child.stage;
    expect(checkOrder(operations)).toEqual([]);
    expect(fold(initialState(), operations)).toEqual(session.state);
    for (const { messages } of provider.requests) expect(validateHistory(messages)).toEqual([]);
  });

  it.each(Object.entries(exceptions))('agents C1: another way is about a scenario: %s', (start) => {
    expect(scenarios.some(({ name }) => name.startsWith(start))).toBe(true);
  });
});
