import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { anthropic } from '@banister/anthropic';
import { openai } from '@banister/openai';
import { createAgentSession, immediate, type AgentSessionError, type Provider } from '@banister/session';
import { assertValidRequest, type RequestApi } from '@banister/testing';
import { startByteServer } from './kit/byte-server.js';
import { missing, recordedStreams } from './kit/recordings.js';
import { sampleSize } from './kit/sample-size.js';
import { startWatchedMock } from './kit/watched-aimock.js';

// Structured output by the official clients, over a socket.

const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, note: { type: 'string' } },
  required: ['title'],
} as const;

type Options = { readonly structuredOutput?: boolean; readonly fetch?: typeof fetch };
const providers: readonly [RequestApi, (url: string, options?: Options) => Provider][] = [
  ['openai-chat', (url, options) => openai({ model: 'gpt-5-mini', baseURL: `${url}/v1`, ...options })],
  [
    'openai-responses',
    (url, options) => openai({ model: 'gpt-5', api: 'responses', baseURL: `${url}/v1`, ...options }),
  ],
  ['anthropic-messages', (url, options) => anthropic({ model: 'claude-sonnet-5', baseURL: url, ...options })],
];

/** Checks each request as a strict server does, and keeps its body. */
function checkedFetch(api: RequestApi) {
  const bodies: Record<string, unknown>[] = [];
  const checked: typeof fetch = (input, init) => {
    const body = JSON.parse(String(init?.body)) as Record<string, unknown>;
    assertValidRequest(api, body);
    bodies.push(body);
    return fetch(input, init);
  };
  return { bodies, fetch: checked };
}

describe('generate over a socket', () => {
  test.each(providers)('in the mode of the API, with a repair: %s', async (api, provider) => {
    await using server = await startWatchedMock();
    server.mock.onMessage(/does not fit/, { content: '{"title":"Plan","note":null}' });
    server.mock.onMessage('Name it', { content: '{"title":null,"note":null}' });
    const { bodies, fetch } = checkedFetch(api);
    const session = createAgentSession({
      provider: provider(server.url, { fetch }),
      ports: { scheduler: immediate() },
    });
    const partial: unknown[] = [];
    session.partialOutput.subscribe((value) => partial.push(value?.['title']));

    expect(await session.generate('Name it', schema)).toEqual({ title: 'Plan' });
    expect(bodies).toHaveLength(2);
    expect(JSON.stringify(bodies[0])).toContain('"type":"json_schema"');
    expect(bodies[0]).not.toHaveProperty('tools');
    expect(partial).toContain('Pl');
    expect(session.state.currentText).toBe('');
    await session.dispose();
  });

  test.each(providers)('with a forced tool: %s', async (api, provider) => {
    await using server = await startWatchedMock();
    const call = { id: 'call_a', name: 'banister_output', arguments: '{"title":"Plan"}' };
    server.mock.onMessage('Name it', { toolCalls: [call] });
    const { bodies, fetch } = checkedFetch(api);
    const session = createAgentSession({
      provider: provider(server.url, { structuredOutput: false, fetch }),
    });
    expect(await session.generate('Name it', schema)).toEqual({ title: 'Plan' });
    expect(JSON.stringify(bodies[0])).not.toContain('json_schema');
    expect(bodies[0]?.['tools']).toHaveLength(1);
    expect(session.state.turns[0]?.rounds).toEqual([{ parts: [{ type: 'text', text: '{"title":"Plan"}' }] }]);
    // The next request has the answer as text, and no call.
    server.mock.onMessage('More', { content: 'Fine.' });
    expect((await session.send('More')).text).toBe('Fine.');
    expect(JSON.stringify(bodies[1])).not.toContain('banister_output');
    await session.dispose();
  });

  test('a schema without a strict form is sent as it is, or refused', async () => {
    await using server = await startWatchedMock();
    server.mock.onMessage('Count', { content: '{"counts":{"a":1}}' });
    const map = {
      type: 'object',
      properties: { counts: { type: 'object', additionalProperties: { type: 'number' } } },
      required: ['counts'],
    } as const;
    const { bodies, fetch } = checkedFetch('openai-chat');
    const session = createAgentSession({ provider: providers[0]![1](server.url, { fetch }) });
    expect(await session.generate('Count', map)).toEqual({ counts: { a: 1 } });
    expect(bodies[0]).toMatchObject({ response_format: { json_schema: { strict: false, schema: map } } });
    session.configure({ provider: providers[2]![1](server.url) });
    await expect(session.generate('Count', map)).rejects.toMatchObject({ code: 'unsupported' });
    expect(session.state.turns).toHaveLength(1);
    await session.dispose();
  });
});

describe.skipIf(missing !== '')('a recorded refusal of a structured answer', () => {
  const recorded = recordedStreams('openai-chat', 'openai-responses').filter(({ request }) =>
    JSON.stringify(request ?? '').includes('json_schema'),
  );

  test('is there for both APIs of OpenAI', () => {
    expect(recorded.map(({ wire }) => wire).sort()).toEqual(['openai-chat', 'openai-responses']);
  });

  test.each(recorded)(
    'rejects as a refusal, with no word of it as output: $name',
    async ({ wire, bytes }) => {
      await using server = await startByteServer({ body: bytes });
      const [, provider] = providers.find(([api]) => api === wire)!;
      const session = createAgentSession({ provider: provider(server.url) });
      const partial = new Set<unknown>();
      session.partialOutput.subscribe((value) => partial.add(value));
      await expect(session.generate('Go', schema)).rejects.toMatchObject({
        code: 'structured-output-invalid',
        details: { reason: 'refusal' },
      });
      expect([...partial]).toEqual([null]);
      expect(session.state).toMatchObject({ turns: [], currentText: '', conversation: { messages: [] } });
      await session.dispose();
    },
  );
});

/** The answer of each API in pieces of JSON, of which the recorded one is in pieces of prose. */
const pieces = ['{"title":', '"Pl\\u00e4n 🌿"', ',"note":nu', 'll}'];
const prose = ['The fern', ' is watered', ' – two cups.', ' 🌿'];
const streams: Readonly<Record<RequestApi, string>> = {
  'openai-chat': 'own-chat-text',
  'openai-responses': 'own-responses-text',
  'anthropic-messages': 'own-messages-text',
};

function recordedAs(api: RequestApi, words: readonly string[]): Buffer {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const whole = readFileSync(new URL(`fixtures/streams/${streams[api]}.sse`, import.meta.url), 'utf8')
    // The last events of some APIs contain the whole text.
    .replaceAll(prose.join(''), () => inJson(words.join('')));
  const body = prose.reduce(
    (text, one, index) => text.replaceAll(`"${one}"`, () => `"${inJson(words[index]!)}"`),
    whole,
  );
  return Buffer.from(body);
}

describe('a structured answer that a connection cuts anywhere', () => {
  test.each(providers)(
    'is the value or an error, never prose, and leaves the conversation as before an error: %s',
    async (api, provider) => {
      const [hello, body] = [recordedAs(api, prose), recordedAs(api, pieces)];
      // A part of the cuts, from a place by the seed of the day.
      const step = Math.ceil(body.length / sampleSize(400));
      const first = inject('propertySeed') % step;
      const ends = { value: 0, error: 0 };
      for (let cut = first; cut < body.length + step; cut += step) {
        await using server = await startByteServer({ body: hello }, { body: body.subarray(0, cut) });
        const session = createAgentSession({
          provider: provider(server.url),
          limits: { maxRetries: 0 },
          ports: { scheduler: immediate() },
        });
        await session.send('Hi');
        const { conversation, turns, headTurnId } = session.state;
        const texts = new Set<string>();
        session.currentText.subscribe((text) => texts.add(text));
        const end = await session.generate('Go', schema).then(
          (value) => ({ value }),
          (error: unknown) => ({ code: (error as AgentSessionError).code }),
        );
        // The text of the previous turn stays until the next turn begins.
        texts.delete(prose.join(''));
        expect([...texts], `texts after ${cut} bytes`).toEqual(['']);
        if ('value' in end) {
          ends.value++;
          expect(end.value).toEqual({ title: 'Plän 🌿' });
          expect(session.state.turns).toHaveLength(2);
        } else {
          ends.error++;
          expect(end.code).toMatch(/^(?:interrupted|network|provider-contract|structured-output-invalid)$/);
          expect(session.state).toMatchObject({ turns, headTurnId, partialOutput: null });
          expect(session.state.conversation).toEqual(conversation);
        }
        await session.dispose();
      }
      expect(ends.value).toBeGreaterThan(0);
      expect(ends.error).toBeGreaterThan(ends.value);
    },
  );
});
