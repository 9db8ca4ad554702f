import { anthropic } from '@banister/anthropic';
import { openai } from '@banister/openai';
import { relay } from '@banister/relay';
import {
  createAgentSession,
  defineDomain,
  immediate,
  type AgentSessionError,
  type Provider,
} from '@banister/session';
import { spyTool } from '@banister/testing';
import { describe, expect, test, vi } from 'vitest';
import { checkDepartures } from '../scripts/exhaustive/departures.js';
import { createTally } from '../scripts/exhaustive/tally.js';
import { sampleSize } from './kit/sample-size.js';
import { anyUser, serveGateway } from './kit/served-gateway.js';
import { startWatchedMock, type WatchedMock } from './kit/watched-aimock.js';

// A session in a page, the relay, a gateway, the official clients, and a mock server that others wrote: each over sockets.

const canary = 'sk-canary-4f9a1c7e2b8d';

const kinds: Record<string, (mock: WatchedMock, fetch: typeof globalThis.fetch) => Provider> = {
  openai: ({ v1 }, fetch) => openai({ model: 'gpt-5-mini', baseURL: v1, apiKey: canary, fetch }),
  responses: ({ v1 }, fetch) =>
    openai({ model: 'gpt-5-mini', api: 'responses', baseURL: v1, apiKey: canary, fetch }),
  anthropic: ({ url }, fetch) =>
    anthropic({ model: 'claude-sonnet-5', baseURL: url, apiKey: canary, maxOutputTokens: 1_000, fetch }),
};

async function createTable(
  kind: string,
  { latency, maxRetries = 0 }: { latency?: number; maxRetries?: number } = {},
) {
  const server = await startWatchedMock(latency === undefined ? {} : { latency });
  /** The bodies as the official client wrote them. */
  const sent: string[] = [];
  const provider = kinds[kind]!(server, (input, init) => {
    sent.push(String(init?.body));
    return fetch(input, init);
  });
  const gateway = await serveGateway({ provider, ...anyUser });
  const add = spyTool('add_card', {
    parameters: { type: 'object', properties: { title: { type: 'string' } } },
  });
  let seen = '';
  const session = createAgentSession({
    provider: relay(gateway.url, {
      // Every byte that leaves the gateway is searched for the key.
      async fetch(input, init) {
        const response = await fetch(input, init);
        const decoder = new TextDecoder();
        seen += JSON.stringify([...response.headers]);
        const watched = new TransformStream<Uint8Array, Uint8Array>({
          transform(bytes, controller) {
            seen += decoder.decode(bytes, { stream: true });
            controller.enqueue(bytes);
          },
        });
        const { status, headers } = response;
        return new Response(response.body?.pipeThrough(watched), { status, headers });
      },
    }),
    domains: [defineDomain({ id: 'board', tools: [add] })],
    limits: { maxRetries },
    ports: { scheduler: immediate(), random: () => 0 },
  });
  return {
    ...server,
    add,
    sent,
    session,
    async [Symbol.asyncDispose]() {
      expect(seen.length).toBeGreaterThan(100);
      expect(seen).not.toContain(canary);
      expect(JSON.stringify([session.state, session.save()])).not.toContain(canary);
      await session.dispose();
      await gateway[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const failureOf = (turn: Promise<unknown>) =>
  turn.then(
    () => null,
    (error: AgentSessionError) => error.code,
  );

describe.each(Object.keys(kinds))('%s behind a gateway', { timeout: 60_000 }, (kind) => {
  test('P6 a turn with two calls runs in the page, and no byte of it has the key', async () => {
    await using table = await createTable(kind);
    table.mock.on(
      { userMessage: 'two cards', hasToolResult: false },
      {
        toolCalls: [
          { id: 'call_a', name: 'board_add_card', arguments: '{"title":"A"}' },
          { id: 'call_b', name: 'board_add_card', arguments: '{"title":"B"}' },
        ],
      },
    );
    table.mock.on({ userMessage: 'two cards', hasToolResult: true }, { content: 'Both are there. Grüße 🌍' });
    expect((await table.session.send('Add two cards')).text).toBe('Both are there. Grüße 🌍');
    expect(table.add.runs.map((run) => run.args)).toEqual([{ title: 'A' }, { title: 'B' }]);
  });

  test('a structured output and a tool choice of the page reach the model', async () => {
    await using table = await createTable(kind);
    table.mock.onMessage('Hello', { content: 'Hi.' });
    table.mock.onMessage('Name it', { content: '{"title":"Plan"}' });
    table.mock.onMessage('Say it', { content: 'Plan.' });
    const schema = {
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
    } as const;
    // The gateway tells with its first answer what the model can do.
    await table.session.send('Hello');
    expect(await table.session.generate('Name it', schema)).toEqual({ title: 'Plan' });
    expect((await table.session.send('Say it', { toolChoice: 'none' })).text).toBe('Plan.');
    const [, output, choice] = table.sent;
    expect(output).toContain('"type":"json_schema"');
    expect(choice).toMatch(/"tool_choice":(?:"none"|{"type":"none"})/);
  });

  test('P11 a cancel in the page closes the connection to the model', async () => {
    await using table = await createTable(kind, { latency: 20 });
    table.mock.onMessage('story', { content: 'Once upon a time. '.repeat(50) });
    const turn = failureOf(table.session.send('A story'));
    await vi.waitFor(() => expect(table.session.currentText.value.length).toBeGreaterThan(8), 30_000);
    await table.session.cancel();
    expect(await turn).toBe('cancelled');
    await vi.waitFor(() => expect(table.hangUps()).toBe(1), 30_000);
  });

  test('a rate limit of the model is waited for by the page, and the turn goes on', async () => {
    await using table = await createTable(kind, { maxRetries: 1 });
    table.mock.nextRequestError(429, { message: `Slow down, ${canary}`, type: 'rate_limit_error' });
    table.mock.onMessage('Hello', { content: 'Hi.' });
    expect((await table.session.send('Hello')).text).toBe('Hi.');
    expect(table.bodies()).toHaveLength(2);
  });

  test.each([
    ['drop', { dropRate: 1 }, ['server', 'overloaded']],
    ['malformed', { malformedRate: 1 }, ['server']],
    ['disconnect', { disconnectRate: 1 }, ['network', 'interrupted']],
  ] as const)(
    'P6 P13 chaos: %s fails the turn in the page, and the next one works',
    async (_name, chaos, codes) => {
      await using table = await createTable(kind);
      table.mock.onMessage('Good', { content: 'Fine.' });
      table.mock.onMessage('Bad', { content: 'never seen' }, { chaos });
      expect(codes).toContain(await failureOf(table.session.send('Bad')));
      expect((await table.session.send('Good')).text).toBe('Fine.');
    },
  );
});

test('P11 clients that leave at any moment leave no connection to the model and no memory behind', async () => {
  const tally = createTally();
  const answers = sampleSize(200);
  const { closings } = await checkDepartures(answers, 7, tally);
  expect(tally.failures).toEqual([]);
  // The others read to the end, or left before the model was asked.
  expect(closings.length).toBeGreaterThan(answers / 2);
});
