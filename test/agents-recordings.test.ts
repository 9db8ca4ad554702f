// Recorded answers of real servers, played as the turn that the user sent, and as the only child turn of a turn of one line.
import type { Provider, ProviderRequest } from '@banister/provider';
import {
  createAgentSession,
  defineDomain,
  defineTool,
  isAgentSessionError,
  type Domain,
  type Ids,
  type Operation,
  type SessionOptions,
  type TurnRecord,
} from '@banister/session';
import { childrenOf, fold, initialState } from '@banister/session/operations';
import { callTools, checkOrder, say, scriptedProvider, validateHistory } from '@banister/testing';
import { anthropic } from '@banister/anthropic';
import { openai } from '@banister/openai';
import { describe, expect, it } from 'vitest';
import { recordings as ofAnthropic } from '../packages/anthropic/test/recordings.js';
import { recordings as ofOpenai } from '../packages/openai/test/recordings.js';
import { plain, recordOf, requestOf } from '../packages/session/test/alike.js';
import { missing, type Facts } from './kit/recordings.js';

const ROLE = 'You keep a board.';

/** The recorded answers of one conversation, in order. */
interface Conversation {
  readonly name: string;
  readonly answers: readonly { readonly facts: Facts; readonly body: Buffer }[];
  provider(fetch: typeof globalThis.fetch): Provider;
}

const options = { model: 'recorded', baseURL: 'http://test.invalid', apiKey: 'none' };

const conversations: readonly Conversation[] = [
  ...grouped(ofOpenai, ({ api, name }) => `${api} ${name}`).map(([name, answers]) => ({
    name,
    answers,
    provider: (fetch: typeof globalThis.fetch) => openai({ ...options, api: answers[0]!.api, fetch }),
  })),
  ...grouped(ofAnthropic, ({ name }) => `messages ${name}`).map(([name, answers]) => ({
    name,
    answers,
    provider: (fetch: typeof globalThis.fetch) => anthropic({ ...options, fetch }),
  })),
];

/** The recordings by their names without the number of their turn. */
function grouped<R extends { readonly name: string }>(
  recordings: readonly R[],
  nameOf: (recording: R) => string,
): readonly (readonly [string, readonly R[]])[] {
  const groups = new Map<string, R[]>();
  for (const recording of recordings) {
    const name = nameOf(recording).replace(/\.\d+$/, '');
    groups.set(name, [...(groups.get(name) ?? []), recording]);
  }
  return [...groups].map(([name, answers]) => [
    name,
    answers.toSorted((one, other) => one.name.localeCompare(other.name)),
  ]);
}

/** A provider that plays the recorded answers, and then ends the turn. Its calls are calls of the domain `recorded`. */
function playing({ answers, provider }: Conversation) {
  const bodies = answers.map(({ body }) => body);
  const requests: ProviderRequest[] = [];
  const recorded = provider(() =>
    Promise.resolve(
      new Response(new Uint8Array(bodies.shift()!), { headers: { 'content-type': 'text/event-stream' } }),
    ),
  );
  const rest = scriptedProvider([], { otherwise: say('That is all.'), validate: false });
  const played: Provider = {
    id: recorded.id,
    model: recorded.model,
    capabilities: recorded.capabilities,
    async *stream(request, signal) {
      requests.push(request);
      for await (const event of (bodies.length > 0 ? recorded : rest).stream(request, signal))
        yield event.type === 'tool-call' && event.tool !== undefined && !event.hosted
          ? { ...event, tool: `recorded.${event.tool}` }
          : event;
    },
  };
  return { played, requests };
}

/** A board with the tools that the recordings call. Each call adds its tool, which can be taken back. */
function board({ answers }: Conversation) {
  const called: string[] = [];
  const names = new Set(answers.flatMap(({ facts }) => (facts.toolCalls ?? []).map(({ name }) => name)));
  const tools = [...names].map((name) =>
    defineTool({
      name,
      description: 'A tool of the recording.',
      parameters: { type: 'object' },
      execute(_args, { undo }) {
        called.push(name);
        undo({ description: `Called ${name}`, revert: () => void called.splice(called.indexOf(name), 1) });
        return `${name} is done.`;
      },
    }),
  );
  return { called, domain: defineDomain({ id: 'recorded', tools }) };
}

const crew: Domain = {
  id: 'crew',
  tools: [
    defineTool({
      name: 'work',
      description: 'Lets the agent work.',
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      execute: async (_args, { run }) => (await run('worker', 'Go')).status,
    }),
  ],
};

/** Ids that differ from those of the recordings, as `call_1`. */
function ownIds(): Ids {
  let count = 0;
  return { next: (kind) => `own-${kind}_${++count}` };
}

/** The life of a session over the recording: the turn, what the app and the model have seen, and what an undo leaves. */
async function lifeOf(conversation: Conversation, way: 'root' | 'child') {
  const { played, requests } = playing(conversation);
  const { called, domain } = board(conversation);
  const ofRoot: Partial<SessionOptions> & Pick<SessionOptions, 'provider'> = {
    provider: played,
    role: ROLE,
    domains: [domain],
  };
  const ofChild: typeof ofRoot = {
    provider: scriptedProvider([callTools({ tool: 'crew.work', args: {} }), say('Over.')]),
    domains: [domain, crew],
    agents: [{ id: 'worker', role: ROLE, tools: ['recorded'], provider: played }],
  };
  const session = createAgentSession({
    ...(way === 'root' ? ofRoot : ofChild),
    confirm: () => ({ approve: true }),
    limits: { maxRetries: 0, maxToolCalls: 60, timeoutMs: 300_000, maxChildRecord: Infinity },
    ports: { ids: ownIds(), reportError: () => {} },
  });
  const operations: Operation[] = [];
  session.operations$.subscribe((operation) => operations.push(operation));
  const error: unknown = await session.send('Go').then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const { state } = session;
  const [sent] = state.turns as [TurnRecord];
  const turn = way === 'root' ? sent : childrenOf(sent)[0]!;
  if (way === 'child') expect([error, sent.status, childrenOf(sent).length]).toEqual([null, 'completed', 1]);
  expect(error === null || isAgentSessionError(error)).toBe(true);
  expect(checkOrder(operations)).toEqual([]);
  expect(fold(initialState(), operations)).toEqual(state);
  for (const { messages } of requests) expect(validateHistory(messages)).toEqual([]);
  const did = [...called];
  if (session.canUndo.value) await session.undo();
  expect(called).toEqual([]);
  await session.dispose();
  return { turn, did, requests };
}

/** The recorded servers name their calls, and a request of a child turn names its agent. */
const shown = ({ turn, did, requests }: Awaited<ReturnType<typeof lifeOf>>) =>
  plain({ turn: recordOf(turn), did, requests: requests.map(requestOf) });

if (missing !== '') it.skip(`recorded answers are played as child turns (${missing})`, () => {});

describe('a recorded answer', () => {
  it.each(conversations.map((conversation) => [conversation.name, conversation] as const))(
    'agents C1: is the same as a child turn: %s',
    async (_name, conversation) => {
      const root = await lifeOf(conversation, 'root');
      const child = await lifeOf(conversation, 'child');
      expect(root.turn.rounds.length).toBeGreaterThan(0);
      const { toolCalls = [], stopReason } = conversation.answers[0]!.facts;
      // Each call of the first answer ran, unless the answer failed.
      if (/tool/.test(stopReason ?? '') && root.turn.status === 'completed')
        expect(root.did.length).toBeGreaterThanOrEqual(toolCalls.length);
      expect(shown(child)).toEqual(shown(root));
      expect(child.requests.map(({ agent }) => agent)).toEqual(child.requests.map(() => 'worker'));
    },
  );
});
