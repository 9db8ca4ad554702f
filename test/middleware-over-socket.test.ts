import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { anthropic } from '@banister/anthropic';
import { openai } from '@banister/openai';
import { createAgentSession, defineTool, type Middleware, type Provider } from '@banister/session';
import { contentFilter } from '@banister/session/filters';
import { withFallback } from '@banister/provider';
import { pdfFile, pngFile, textFile } from '../packages/session/test/files.js';
import { startByteServer } from './kit/byte-server.js';
import { startWatchedMock, type WatchedMock } from './kit/watched-aimock.js';

// A secret of the app, in every place from which a text reaches a request, and the bytes that leave the process.

const canary = 'canary-plugh-xyzzy';

/** A wire to a server that keeps the bytes which a client sends. */
async function startRecordingWire(port: number) {
  const sent: Buffer[] = [];
  const wire = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.on('data', (bytes: Buffer) => sent.push(bytes));
    for (const socket of [client, upstream]) socket.on('error', () => {});
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  return {
    url: `http://127.0.0.1:${(wire.address() as AddressInfo).port}`,
    sent: () => Buffer.concat(sent).toString('latin1'),
    [Symbol.dispose]: () => void wire.close(),
  };
}

const providers: readonly [string, (url: string) => Provider][] = [
  ['chat completions of OpenAI', (url) => openai({ model: 'gpt-5-mini', baseURL: `${url}/v1` })],
  ['responses of OpenAI', (url) => openai({ model: 'gpt-5-mini', api: 'responses', baseURL: `${url}/v1` })],
  ['Anthropic', (url) => anthropic({ model: 'claude-sonnet-5', baseURL: url })],
];

const find = defineTool({
  name: 'find_card',
  description: 'Finds a card.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const,
  execute: ({ title }) => ({ title, note: `x${canary}x`, list: [canary] }),
});

const breaks = defineTool({
  name: 'break',
  description: 'Throws.',
  parameters: { type: 'object' },
  execute: () => {
    throw new Error(`No ${canary} here.`);
  },
});

/** Text that is long enough for a summary. */
const long = `The card ${canary} has a text. `.repeat(100);
const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, note: { type: 'string' } },
  required: ['title'],
} as const;

/** Adds to each request, continues a turn, and repeats the canary in each of its texts. */
const talks: Middleware = {
  name: 'talks',
  beforeRequest: (request) => ({ ...request, system: `${request.system} ${canary}` }),
  beforeToolCalls: (calls) =>
    Object.fromEntries(
      calls
        .filter(({ tool }) => tool === 'board.find_card')
        .map(({ id }) => [id, { arguments: { title: `${canary}!` } }]),
    ),
  afterResponse: ({ text }) =>
    text.startsWith('Bad') ? { withhold: canary, again: `No ${canary}.` } : 'keep',
  afterTurn: ({ text, continuations }) =>
    text.startsWith('Half') && continuations === 0 ? { continue: `Not only ${canary}.` } : 'end',
};

/** A session with the canary in every text that an app writes. */
function talkative(provider: Provider) {
  return createAgentSession({
    provider,
    role: `The key is ${canary}.`,
    domains: [{ id: 'board', version: canary, summary: `Cards of ${canary}.`, tools: [find, breaks] }],
    context: [
      { id: 'key', policy: 'always', summary: () => canary },
      { id: 'more', policy: 'onDemand', summary: () => canary },
    ],
    middleware: [talks, contentFilter({ redact: [canary] })],
    limits: { maxRetries: 0 },
  });
}

/** Answers each request of `live` with the canary. */
function answerAll({ mock }: WatchedMock): void {
  const calls = [
    { id: 'call_a', name: 'board_find_card', arguments: JSON.stringify({ title: canary }) },
    { id: 'call_b', name: 'board_break', arguments: JSON.stringify({ note: canary }) },
    { id: 'call_c', name: 'banister_read_context', arguments: JSON.stringify({ id: 'more' }) },
  ];
  mock.onMessage(/<transcript>/, { content: `The user asked about ${canary}.` });
  mock.on({ userMessage: 'Find', hasToolResult: false }, { toolCalls: calls });
  mock.on({ userMessage: 'Find', hasToolResult: true }, { content: long });
  mock.onMessage('Talk', { content: long });
  mock.onMessage(/Not only/, { content: `And ${canary}.` });
  mock.onMessage('Half', { content: `Half of ${canary}.` });
  mock.onMessage(/<note>\s*No \[redacted\]/, { content: 'Better.' });
  mock.onMessage('Bad', { content: `Bad ${canary}.` });
  mock.onMessage(/does not fit/, { content: '{"title":"Plan","note":null}' });
  mock.onMessage('Name it', { content: `{"title":7,"note":"${canary}"}` });
}

/** Each way in which a text comes into a request: files, calls, notes, a compaction with its summary, a structured answer and its repair. */
async function live(session: ReturnType<typeof talkative>): Promise<void> {
  const files = [
    textFile(`The text of ${canary}.`, `${canary}.txt`),
    pdfFile(`${canary}.pdf`),
    pngFile(`${canary}.png`),
  ];
  const directives = [`Mind ${canary}.`];
  expect((await session.send({ text: `Find ${canary}`, files }, { directives })).text).toContain(canary);
  await session.send(`Talk about ${long}`);
  await session.compact();
  expect(session.compactions.value).toMatchObject([{ summary: `The user asked about ${canary}.` }]);
  expect((await session.send(`Half of ${canary}`)).text).toContain('And');
  expect((await session.send(`Bad ${canary}`)).text).toBe('Better.');
  expect(await session.generate(`Name it ${canary}`, schema)).toEqual({ title: 'Plan' });
  await session.dispose();
}

function expectNoCanary(sent: string): void {
  expect(sent).toContain('[redacted]');
  expect(sent.match(/.{0,80}(?:canary|plugh|xyzzy).{0,20}/g) ?? []).toEqual([]);
}

describe('middleware over a socket', () => {
  test.each(providers)(
    'a canary is in no byte of files, calls, notes, a summary and a structured answer: %s',
    async (_name, provider) => {
      await using server = await startWatchedMock();
      answerAll(server);
      using wire = await startRecordingWire(Number(new URL(server.url).port));
      const session = talkative(provider(wire.url));
      await live(session);
      expectNoCanary(wire.sent());
      expect(JSON.stringify(session.conversation.value)).toContain(canary);
    },
  );

  test('a canary is in no byte of the requests to the first and to the second provider of a fallback', async () => {
    await using first = await startByteServer({ status: 500, body: '{"error":{"message":"No."}}' });
    await using server = await startWatchedMock();
    answerAll(server);
    using wire = await startRecordingWire(Number(new URL(server.url).port));
    const members = [
      openai({ model: 'gpt-5-mini', baseURL: first.v1 }),
      anthropic({ model: 'claude-sonnet-5', baseURL: wire.url }),
    ];
    await live(talkative(withFallback(members, { breaker: false })));
    expect(first.arrivals.length).toBeGreaterThan(4);
    expectNoCanary(JSON.stringify(first.arrivals.map(({ headers, path, body }) => [headers, path, body])));
    expectNoCanary(wire.sent());
  });

  test.each(providers)('a canary is in no byte of any request: %s', async (_name, provider) => {
    await using server = await startWatchedMock();
    const call = { id: 'call_a', name: 'board_find_card', arguments: JSON.stringify({ title: canary }) };
    server.mock.on({ userMessage: 'Find', hasToolResult: false }, { toolCalls: [call] });
    server.mock.on({ userMessage: 'Find', hasToolResult: true }, { content: `It is ${canary}.` });
    server.mock.onMessage('More', { content: 'Fine.' });
    using wire = await startRecordingWire(Number(new URL(server.url).port));
    const session = createAgentSession({
      provider: provider(wire.url),
      domains: [{ id: 'board', tools: [find] }],
      role: `The key is ${canary}.`,
      context: [{ id: 'key', policy: 'always', summary: () => canary }],
      middleware: [contentFilter({ redact: [canary] })],
    });
    expect((await session.send(`Find ${canary}`)).text).toContain(canary);
    expect((await session.send(`More about ${canary}`)).text).toBe('Fine.');
    await session.dispose();

    const sent = wire.sent();
    expect(sent.match(/POST /g)).toHaveLength(3);
    expect(sent).toContain('[redacted]');
    expect(sent).not.toContain(canary);
    expect(sent).not.toContain('plugh');
    expect(JSON.stringify(session.conversation.value)).toContain(canary);
  });

  test.each(providers)(
    'no half of a canary is in any byte, wherever a text is cut: %s',
    async (_name, provider) => {
      await using server = await startWatchedMock();
      const { mock } = server;
      const words = 'canary plugh xyzzy';
      const call = { id: 'call_a', name: 'board_break', arguments: '{}' };
      mock.onMessage(/<transcript>/, { content: 'Short.' });
      mock.on({ userMessage: 'Find', hasToolResult: false }, { toolCalls: [call] });
      mock.on({ userMessage: 'Find', hasToolResult: true }, { content: 'No.' });
      mock.onMessage('And', { content: 'Fine.' });
      using wire = await startRecordingWire(Number(new URL(server.url).port));
      const made = provider(wire.url);
      for (const before of [3_905, 3_915, 3_920]) {
        const breaksLate = defineTool({
          name: 'break',
          description: 'Throws.',
          parameters: { type: 'object' },
          execute: () => {
            throw new Error(`${'.'.repeat(before - 3_420)} ${words} here.`);
          },
        });
        const session = createAgentSession({
          provider: { ...made, capabilities: { ...made.capabilities, contextWindow: 2_000 } },
          domains: [{ id: 'board', tools: [breaksLate] }],
          middleware: [contentFilter({ redact: [words] })],
        });
        await session.send(`Find ${'w '.repeat(before / 2)}${words}${' word'.repeat(1_500)}`);
        await session.send('And');
        await session.compact();
        expect(session.compactions.value).toMatchObject([{ summary: 'Short.' }]);
        await session.dispose();
      }
      expect(wire.sent()).toContain('the middle was left out');
      expect(wire.sent()).toContain('The tool failed');
      expectNoCanary(wire.sent());
    },
  );

  test('a request that a middleware refuses sends no byte', async () => {
    await using server = await startWatchedMock();
    using wire = await startRecordingWire(Number(new URL(server.url).port));
    const session = createAgentSession({
      provider: openai({ model: 'gpt-5-mini', baseURL: `${wire.url}/v1` }),
      middleware: [
        {
          name: 'strict',
          beforeRequest: () => {
            throw new Error('Not from here.');
          },
        },
      ],
    });
    await expect(session.send(canary)).rejects.toMatchObject({
      code: 'egress-refused',
      retry: 'after-action',
    });
    await session.dispose();
    expect(wire.sent()).toBe('');
  });
});
