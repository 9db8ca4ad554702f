import {
  createAgentSession,
  defineDomain,
  immediate,
  type AgentSessionError,
  type Limits,
} from '@banister/session';
import { assertValidHistory, assertValidRequest, observe, spyTool } from '@banister/testing';
import { describe, expect, test, vi } from 'vitest';
import { startWatchedMock } from './kit/watched-aimock.js';
import { apiNames, apis, type ApiName } from '../scripts/replay/apis.js';

// The same turns for every API, against a third-party mock server, including its chaos mode.

/** A session with one tool, and the server that it talks to. */
async function createTable(
  api: ApiName,
  { latency, ...limits }: Partial<Limits> & { readonly latency?: number } = {},
) {
  const server = await startWatchedMock(latency === undefined ? {} : { latency });
  const url = server.url.replace(/\/v1$/, '');
  const add = spyTool('add_card', {
    parameters: { type: 'object', properties: { title: { type: 'string' } } },
  });
  const sent: unknown[] = [];
  const provider = await apis[api].createProvider(url, (input, init) => {
    sent.push(JSON.parse(String(init?.body)));
    return fetch(input, init);
  });
  const session = createAgentSession({
    provider,
    domains: [defineDomain({ id: 'board', tools: [add] })],
    limits: { maxRetries: 0, ...limits },
    ports: { scheduler: immediate(), random: () => 0 },
  });
  const observed = observe(session);
  return {
    ...server,
    add,
    session,
    sent,
    async [Symbol.asyncDispose]() {
      for (const body of sent) assertValidRequest(api, body);
      assertValidHistory(session.conversation.value.messages);
      await session.dispose();
      observed.dispose();
      await server[Symbol.asyncDispose]();
    },
  };
}

const failureOf = (turn: Promise<unknown>) =>
  turn.then(
    () => null,
    (error: AgentSessionError) => error.code,
  );

describe.each(apiNames)('%s against aimock', { timeout: 60_000 }, (api) => {
  test('text arrives in pieces, as it was sent', async () => {
    await using table = await createTable(api);
    table.mock.onMessage('Hello', { content: 'Hi there! Grüße 🌍' });
    const { text, status } = await table.session.send('Hello');
    expect([text, status]).toEqual(['Hi there! Grüße 🌍', 'completed']);
    expect(table.hangUps()).toBe(0);
  });

  test('two parallel calls run, and their results go back', async () => {
    await using table = await createTable(api);
    table.mock.on(
      { userMessage: 'two cards', hasToolResult: false },
      {
        toolCalls: [
          { id: 'call_a', name: 'board_add_card', arguments: '{"title":"A"}' },
          { id: 'call_b', name: 'board_add_card', arguments: '{"title":"B"}' },
        ],
      },
    );
    table.mock.on({ userMessage: 'two cards', hasToolResult: true }, { content: 'Both are there.' });
    expect((await table.session.send('Add two cards')).text).toBe('Both are there.');
    expect(table.add.runs.map((run) => run.args)).toEqual([{ title: 'A' }, { title: 'B' }]);
    expect(table.sent).toHaveLength(2);
  });

  test('S3 a cancel in the middle closes the connection, and keeps the text', async () => {
    await using table = await createTable(api, { latency: 20 });
    table.mock.onMessage('story', { content: 'Once upon a time. '.repeat(50) });
    const turn = failureOf(table.session.send('A story'));
    await vi.waitFor(() => expect(table.session.currentText.value.length).toBeGreaterThan(8), 30_000);
    await table.session.cancel();
    expect(await turn).toBe('cancelled');
    expect('Once upon a time. '.repeat(50).startsWith(table.session.currentText.value)).toBe(true);
    await vi.waitFor(() => expect(table.hangUps()).toBe(1), 30_000);
  });

  test('H3 a rate limit is waited for, and the turn goes on', async () => {
    await using table = await createTable(api, { maxRetries: 1 });
    table.mock.nextRequestError(429, { message: 'Slow down', type: 'rate_limit_error' });
    table.mock.onMessage('Hello', { content: 'Hi.' });
    expect((await table.session.send('Hello')).text).toBe('Hi.');
    expect(table.sent).toHaveLength(2);
  });

  test('W8 W9 a connection that dies in the middle is an interruption', async () => {
    await using table = await createTable(api, { latency: 20 });
    table.mock.onMessage('Hello', { content: 'Hello to you too, and welcome.' }, { truncateAfterChunks: 6 });
    expect(await failureOf(table.session.send('Hello'))).toBe('interrupted');
    expect('Hello to you too, and welcome.'.startsWith(table.session.currentText.value)).toBe(true);
  });

  test.each([
    ['drop', { dropRate: 1 }, ['server', 'overloaded']],
    ['W13 malformed', { malformedRate: 1 }, ['server']],
    ['W9 disconnect', { disconnectRate: 1 }, ['network', 'interrupted']],
  ] as const)('chaos: %s fails the turn, and the next one works', async (_name, chaos, codes) => {
    await using table = await createTable(api);
    // Registered first, because the request after the failure contains both words.
    table.mock.onMessage('Good', { content: 'Fine.' });
    table.mock.onMessage('Bad', { content: 'never seen' }, { chaos });
    expect(codes).toContain(await failureOf(table.session.send('Bad')));
    expect((await table.session.send('Good')).text).toBe('Fine.');
  });

  test('chaos: latency delays the answer, and changes nothing of it', async () => {
    await using table = await createTable(api);
    table.mock.onMessage('Hello', { content: 'Late, but here.' }, { chaos: { latencyMs: 300 } });
    expect((await table.session.send('Hello')).text).toBe('Late, but here.');
  });
});
