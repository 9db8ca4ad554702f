import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, test } from 'vitest';
import { anthropic } from '@banister/anthropic';
import { openai } from '@banister/openai';
import {
  createAgentSession,
  type AgentSessionError,
  type JsonObject,
  type LocalAgentSession,
  type Operation,
  type Provider,
  type SessionOptions,
} from '@banister/session';
import { withFallback } from '@banister/provider';
import { assertValidRequest, checkOrder, providerConformance, spyTool } from '@banister/testing';
import {
  end,
  start,
  textBlock,
  thinkingBlock,
  toolBlock,
} from '../packages/anthropic/test/message-events.js';
import { scriptOf } from '../packages/openai/test/conformance-script.js';
import { startByteServer, type ByteServer, type Script } from './kit/byte-server.js';
import { startWatchedMock, type WatchedMock } from './kit/watched-aimock.js';

// Two official clients over sockets, the first of which has a server that is down.

const json = { 'content-type': 'application/json' };
const refusal = (status: number, message: string, headers: Record<string, string> = {}): Script => ({
  status,
  headers: { ...json, ...headers },
  body: JSON.stringify({ error: { message, type: 'server_error', code: null } }),
});
const chunk = (content: string) =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

/** The address of a port at which no server listens. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/v1`;
}

function sessionOf(first: string, second: WatchedMock, options: Partial<SessionOptions> = {}) {
  const operations: Operation[] = [];
  const session = createAgentSession({
    provider: withFallback([
      openai({ model: 'gpt-5-mini', baseURL: first, apiKey: 'sk-a' }),
      anthropic({ model: 'claude-sonnet-5', baseURL: second.url, apiKey: 'sk-b' }),
    ]),
    ...options,
    limits: { maxRetries: 0, ...options.limits },
  });
  session.operations$.subscribe((operation) => operations.push(operation));
  return { session, operations };
}

const switchesIn = ({ state }: LocalAgentSession) => state.turns.at(-1)?.switches;

const failing: readonly [name: string, scripts: readonly Script[], code: string, requests: number][] = [
  ['500', [refusal(500, 'No.')], 'server', 2],
  ['429 with retry-after', [refusal(429, 'Slowly.', { 'retry-after-ms': '5' })], 'rate-limit', 2],
  ['401', [refusal(401, 'Who?')], 'auth', 1],
  ['a body that breaks before visible text', [{ body: chunk(''), end: 'reset' }], 'interrupted', 2],
];

describe('a turn whose first provider is down is carried on by the second one, over sockets', () => {
  test.each(failing)('%s', async (_name, scripts, code, requests) => {
    await using first = await startByteServer(...scripts);
    await using second = await startWatchedMock();
    second.mock.onMessage('Hello', { content: 'Hello from the second one.' });
    const { session, operations } = sessionOf(first.v1, second, { limits: { maxRetries: 1 } });
    expect((await session.send('Hello')).text).toBe('Hello from the second one.');
    expect(first.arrivals).toHaveLength(requests);
    expect(switchesIn(session)).toMatchObject([
      {
        from: { provider: 'openai', server: first.v1, account: 'default', model: 'gpt-5-mini' },
        to: { provider: 'anthropic', server: second.url, account: 'default', model: 'claude-sonnet-5' },
        code,
      },
    ]);
    expect(JSON.stringify(operations)).not.toMatch(/sk-[ab]/);
    expect(checkOrder(operations)).toEqual([]);
    await session.dispose();
  });

  test('a connection that is refused', async () => {
    await using second = await startWatchedMock();
    second.mock.onMessage('Hello', { content: 'Hello from the second one.' });
    const { session } = sessionOf(await deadAddress(), second);
    expect((await session.send('Hello')).text).toBe('Hello from the second one.');
    expect(switchesIn(session)).toMatchObject([{ code: 'network' }]);
    await session.dispose();
  });

  test('but not after visible text', async () => {
    await using first = await startByteServer({ body: chunk('Half an '), end: 'reset' });
    await using second = await startWatchedMock();
    const { session } = sessionOf(first.v1, second);
    const failed = await session.send('Hello').catch((error: AgentSessionError) => error.code);
    expect(failed).toBe('interrupted');
    expect(switchesIn(session)).toBeUndefined();
    expect(second.bodies()).toEqual([]);
    await session.dispose();
  });
});

describe('a provider that goes down between two rounds', () => {
  const thought = `${start()}${thinkingBlock(0, 'A card.', 'c2lnbmVk')}${toolBlock(1, 'toolu_1', 'board_add', '{}')}${end('tool_use')}`;

  const play = async (
    use: (stage: { session: LocalAgentSession; first: ByteServer; second: WatchedMock }) => Promise<void>,
    ...scripts: readonly Script[]
  ) => {
    await using first = await startByteServer({ body: thought }, ...scripts);
    await using second = await startWatchedMock();
    second.mock.onMessage(/.*/, { content: 'Second.' });
    const thinking = { type: 'enabled', budget_tokens: 2_048 } as const;
    const session = createAgentSession({
      provider: withFallback([
        anthropic({
          model: 'claude-sonnet-5',
          baseURL: first.url,
          apiKey: 'k',
          thinking,
          promptCaching: false,
        }),
        openai({ model: 'gpt-5', api: 'responses', baseURL: second.v1, apiKey: 'k' }),
      ]),
      domains: [{ id: 'board', tools: [spyTool('add')] }],
      limits: { maxRetries: 0 },
    });
    await use({ session, first, second });
    await session.dispose();
  };
  const blocksOf = (body: unknown) =>
    (body as { messages: { role: string; content: JsonObject[] }[] }).messages
      .filter(({ role }) => role === 'assistant')
      .map(({ content }) => content.map(({ type, signature }) => signature ?? type));

  test('leaves out its signed thinking at the other server, and gets it back unchanged in the next turn', () =>
    play(
      async ({ session, first, second }) => {
        expect((await session.send('Add a card')).text).toBe('Second.');
        const bodies = second.mock.getRequests().map(({ body }) => JSON.stringify(body));
        expect(bodies).toHaveLength(1);
        expect(bodies[0]).toContain('board_add');
        expect(bodies[0]).not.toContain('c2lnbmVk');
        expect((await session.send('More')).text).toBe('First again.');
        const body = first.arrivals.at(-1)!.body;
        assertValidRequest('anthropic-messages', body);
        expect(blocksOf(body)).toEqual([['c2lnbmVk', 'tool_use'], ['text']]);
      },
      refusal(500, 'No.'),
      { body: `${start()}${textBlock(0, 'First again.')}${end('end_turn')}` },
    ));

  test('refused thinking is left out, and the round is asked again once', () =>
    play(
      async ({ session, first }) => {
        expect((await session.send('Add a card')).text).toBe('Fine.');
        expect(first.arrivals.map(({ body }) => blocksOf(body))).toEqual([
          [],
          [['c2lnbmVk', 'tool_use']],
          [['tool_use']],
        ]);
        expect(switchesIn(session)).toBeUndefined();
      },
      {
        ...refusal(400, ''),
        body: JSON.stringify({
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
          },
        }),
      },
      { body: `${start()}${textBlock(0, 'Fine.')}${end('end_turn')}` },
    ));
});

const secret = 'sk-conformance-0123456789';

type MakeProvider = Parameters<typeof providerConformance>[1];

const make: MakeProvider = async ({ answer }) => {
  const server = await startByteServer(scriptOf(answer));
  const dead = await deadAddress();
  const provider: Provider = withFallback([
    openai({ model: 'm', baseURL: dead, apiKey: secret }),
    openai({ model: 'm', baseURL: server.v1, apiKey: secret }),
  ]);
  return {
    provider,
    requests: () => server.arrivals.length,
    openConnections: () => server.openConnections(),
    secret,
    dispose: async () => server[Symbol.asyncDispose](),
  };
};

providerConformance(
  'a fallback whose first provider is down',
  make,
  { describe, it },
  { patienceMs: 60_000 },
);
