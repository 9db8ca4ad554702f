import { describe, expect, test } from 'vitest';
import { anthropic } from '@banister/anthropic';
import { openai } from '@banister/openai';
import { compaction, createAgentSession, type JsonObject, type Provider } from '@banister/session';
import { assertValidRequest, spyTool, type RequestApi } from '@banister/testing';
import { startWatchedMock, type WatchedMock } from './kit/watched-aimock.js';

// Compaction over the official clients and a real socket.

type Fetch = typeof globalThis.fetch;

const providers: readonly [RequestApi, (server: WatchedMock, fetch: Fetch) => Provider][] = [
  ['openai-chat', ({ v1 }, fetch) => openai({ model: 'gpt-5-mini', baseURL: v1, fetch })],
  [
    'openai-responses',
    ({ v1 }, fetch) => openai({ model: 'gpt-5-mini', baseURL: v1, api: 'responses', fetch }),
  ],
  ['anthropic-messages', ({ url }, fetch) => anthropic({ model: 'claude-sonnet-5', baseURL: url, fetch })],
];

/** The refusals of requests that are too long, as the servers write them. */
const openaiRefusal = {
  error: {
    message: "This model's maximum context length is 1500 tokens.",
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  },
};
const tooLong: { readonly [Api in RequestApi]: readonly [number, JsonObject] } = {
  'openai-chat': [400, openaiRefusal],
  'openai-responses': [400, openaiRefusal],
  'anthropic-messages': [
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 1700 tokens > 1500 maximum' },
    },
  ],
};

const long = 'word '.repeat(400);

describe('compaction over a socket', () => {
  test.each(providers)(
    'a conversation with calls is compacted, and given back: %s',
    async (api, providerOf) => {
      await using server = await startWatchedMock();
      const bodies: JsonObject[] = [];
      const fetch: Fetch = (input, init) => {
        const body = JSON.parse(String(init?.body)) as JsonObject;
        assertValidRequest(api, body);
        bodies.push(body);
        return globalThis.fetch(input, init);
      };
      server.mock.on({ userMessage: '<transcript>' }, { content: 'The user read a long document.' });
      const call = { id: 'call_1', name: 'docs_read', arguments: '{}' };
      server.mock.on({ toolCallId: 'call_1' }, { content: 'I have read it.' });
      server.mock.on({ userMessage: 'Read it' }, { toolCalls: [call] });
      server.mock.on({ userMessage: 'Tell me more' }, { content: long });
      server.mock.on({ userMessage: 'And now?' }, { content: 'Nothing more.' });
      const read = spyTool('read', { capabilities: ['readOnly'], execute: () => long });
      const session = createAgentSession({
        provider: providerOf(server, fetch),
        domains: [{ id: 'docs', tools: [read] }],
      });
      for (const text of ['Read it', 'Tell me more', 'Tell me more']) await session.send(text);
      const whole = JSON.stringify(bodies.at(-1)).length;
      await session.compact();
      const [mark] = session.compactions.value;
      expect(mark).toMatchObject({ summary: 'The user read a long document.' });
      expect(JSON.stringify(bodies.at(-1))).toContain('- docs.read {}: success, word word');
      expect((await session.send('And now?')).text).toBe('Nothing more.');
      const compacted = JSON.stringify(bodies.at(-1));
      expect(compacted.length).toBeLessThan(whole);
      expect(compacted).toContain('The user read a long document.');
      await session.uncompact(mark!.id);
      await session.send('And now?');
      expect(JSON.stringify(bodies.at(-1)).length).toBeGreaterThan(whole);
      await session.dispose();
    },
  );

  test.each(providers)(
    'a conversation that the server refuses as too long is compacted, and sent again: %s',
    async (api, providerOf) => {
      await using server = await startWatchedMock();
      const sizes: number[] = [];
      const fetch: Fetch = async (input, init) => {
        const body = JSON.parse(String(init?.body)) as JsonObject;
        assertValidRequest(api, body);
        const size = JSON.stringify(body).length;
        sizes.push(size);
        const [status, refused] = tooLong[api];
        const headers = { 'content-type': 'application/json' };
        return size > 7_000
          ? new Response(JSON.stringify(refused), { status, headers })
          : globalThis.fetch(input, init);
      };
      server.mock.on({ userMessage: '<transcript>' }, { content: 'Words.' });
      server.mock.on({ userMessage: 'Tell me more' }, { content: long });
      const session = createAgentSession({ provider: providerOf(server, fetch), compaction: compaction() });
      for (let index = 0; index < 5; index++) await session.send('Tell me more');
      expect(session.compactions.value[0]).toMatchObject({ summary: 'Words.', round: 1 });
      expect(sizes.filter((size) => size > 7_000)).toHaveLength(session.compactions.value.length);
      await session.dispose();
    },
  );
});
