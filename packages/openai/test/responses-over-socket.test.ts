import type { Message, ToolDefinition } from '@banister/provider';
import { describe, expect, test, vi } from 'vitest';
import { createAgentSession, defineDomain, defineTool } from '@banister/session';
import { observe } from '@banister/testing';
import { openai } from '../src/index.js';
import { answerOf, request } from '../../../test/kit/answer.js';
import { startByteServer, type Script } from '../../../test/kit/byte-server.js';
import { asStream, itemEvents } from './responses-stream.js';
import { startWatchedMock } from '../../../test/kit/watched-aimock.js';

const ask = (words: string): Message => ({ id: 'm1', role: 'user', parts: [{ type: 'text', text: words }] });
const tools: ToolDefinition[] = [
  { name: 'board.add_card', description: 'Adds a card.', parameters: { type: 'object', properties: {} } },
];
const responses = (url: string) => openai({ model: 'gpt-5-mini', api: 'responses', baseURL: url });

describe('the Responses API against aimock', () => {
  test('text with reasoning', async () => {
    await using server = await startWatchedMock();
    server.mock.onMessage('Hello', { content: 'Hi there! Grüße 🌍', reasoning: 'They greet.' });
    const answer = await answerOf(responses(server.v1));
    expect(answer).toMatchObject({
      text: 'Hi there! Grüße 🌍',
      thinking: 'They greet.',
      finish: { reason: 'stop', raw: 'completed' },
      error: null,
    });
    expect(server.hangUps()).toBe(0);
  });

  test('two parallel calls, and the round that follows them', async () => {
    await using server = await startWatchedMock();
    const calls = ['A', 'B'].map((title) => ({
      id: `call_${title}`,
      name: 'board_add_card',
      arguments: JSON.stringify({ title }),
    }));
    server.mock.on({ userMessage: 'two cards', hasToolResult: false }, { toolCalls: calls });
    server.mock.on({ userMessage: 'two cards', hasToolResult: true }, { content: 'Both are there.' });
    const provider = responses(server.v1);
    const messages = [ask('Add two cards')];
    const first = await answerOf(provider, request({ messages, tools }));
    expect(first.calls).toEqual([
      { id: 'call_A', tool: 'board.add_card', argumentsText: '{"title":"A"}' },
      { id: 'call_B', tool: 'board.add_card', argumentsText: '{"title":"B"}' },
    ]);
    expect(first.finish?.reason).toBe('tool-calls');

    const made = first.calls.map(({ id, tool, argumentsText }) => ({
      type: 'tool-call' as const,
      id: `session_${id}`,
      providerCallId: id,
      tool,
      argumentsText,
      arguments: null,
    }));
    const results = made.map(({ id }) => ({
      type: 'tool-result' as const,
      callId: id,
      outcome: 'success' as const,
      content: [{ type: 'text' as const, text: 'added' }],
    }));
    const second = await answerOf(
      provider,
      request({
        messages: [
          ...messages,
          { id: 'm2', role: 'assistant', parts: made },
          { id: 'm3', role: 'user', parts: results },
        ],
        tools,
      }),
    );
    expect(second).toMatchObject({ text: 'Both are there.', finish: { reason: 'stop' } });
  });

  test('S3 an abort in the middle: the server sees the connection close', async () => {
    await using server = await startWatchedMock({ latency: 20 });
    server.mock.onMessage('story', { content: 'Once upon a time. '.repeat(50) });
    const abort = new AbortController();
    let text = '';
    const reading = async () => {
      const stream = responses(server.v1).stream(request({ messages: [ask('A story')] }), abort.signal);
      for await (const event of stream) {
        if (event.type === 'text') text += event.delta;
        if (text.length > 20) abort.abort();
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: 'cancelled' });
    expect(text.length).toBeLessThan(60);
    await vi.waitFor(() => expect(server.hangUps()).toBe(1), 30_000);
  });

  test('H3 a rate limit has the server’s wait as its retry hint', async () => {
    await using server = await startWatchedMock();
    server.mock.onMessage('Hello', { error: { message: 'Slow down' }, status: 429, retryAfter: 7 });
    const { error } = await answerOf(responses(server.v1));
    expect(error).toMatchObject({ code: 'rate-limit', retry: { afterMs: 7_000 } });
  });
});

describe('the Responses API over a socket', () => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi!' }] };
  const hi = itemEvents(0, message, 'output_text', ['Hi', '!']);
  const completed = { type: 'response.completed', response: { status: 'completed' } };

  async function serve(body: string, script: Partial<Script> = {}) {
    await using server = await startByteServer({ body, ...script });
    const answer = await answerOf(responses(server.v1));
    return { ...answer, arrival: server.arrivals[0]! };
  }

  test('the request goes to /responses, streams, stores nothing, and carries the idempotency key', async () => {
    const { arrival } = await serve(asStream(...hi, completed));
    expect(arrival.path).toBe('/v1/responses');
    expect(arrival.body).toMatchObject({ model: 'gpt-5-mini', stream: true, store: false });
    expect(arrival.headers['idempotency-key']).toBe('key-1');
  });

  test.each([
    ['W4 CR LF', asStream(...hi, completed).replaceAll('\n', '\r\n')],
    ['W19 no event names', asStream(...hi, completed).replace(/^event: .*\n/gm, '')],
    ['W19 [DONE]', `${asStream(...hi, completed)}data: [DONE]\n\n`],
    ['W7 no blank line at the end', asStream(...hi, completed).trimEnd()],
    ['W3 comments', asStream(...hi, completed).replaceAll('\n\n', '\n\n: ping\n\n')],
  ])('%s: the answer is complete', async (_name, body) => {
    for (const chunkSize of [1, body.length]) {
      expect(await serve(body, { chunkSize })).toMatchObject({
        text: 'Hi!',
        finish: { reason: 'stop', raw: 'completed' },
        error: null,
      });
    }
  });

  test('[DONE] alone does not end the answer', async () => {
    const answer = await serve(`${asStream(...hi)}data: [DONE]\n\n`);
    expect(answer).toMatchObject({ text: 'Hi!', finish: null, error: null });
  });

  test('an answer ends at its last event even if the server keeps the connection open', async () => {
    const start = Date.now();
    const { finish } = await serve(asStream(...hi, completed), { end: 'never' });
    expect(finish?.reason).toBe('stop');
    expect(Date.now() - start).toBeLessThan(900);
  });

  test('W9 a reset after the end loses nothing; a reset before the end interrupts', async () => {
    const reset = { end: 'reset', delayMs: 20 } as const;
    expect((await serve(asStream(...hi, completed), reset)).finish?.reason).toBe('stop');
    expect((await serve(asStream(...hi), reset)).error?.code).toBe('interrupted');
  });

  test.each([
    ['H4 quota', { error: { code: 'insufficient_quota', message: 'no' } }, 'quota', 'after-action'],
    ['a rate limit', { code: 'rate_limit_exceeded', message: 'no' }, 'rate-limit', 'now'],
    ['anything else', { error: { message: 'no' } }, 'server', 'now'],
  ])('an error event with %s is classified', async (_name, error, code, retry) => {
    const answer = await serve(asStream(...hi, { type: 'error', ...error }));
    expect(answer).toMatchObject({
      text: 'Hi!',
      finish: null,
      error: { code, retry, details: { finishReason: 'failed' } },
    });
  });

  test('H4 a quota error inside the response is thrown, after its usage', async () => {
    const response = { status: 'failed', error: { code: 'insufficient_quota' }, usage: { input_tokens: 1 } };
    const answer = await serve(asStream(...hi, { type: 'response.failed', response }));
    expect(answer).toMatchObject({ usage: { inputTokens: 1 }, error: { code: 'quota' } });
  });
});

describe('a session with the Responses API', () => {
  const reasoning = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: `of ${id}` });
  const call = (call_id: string, title: string) => ({
    type: 'function_call',
    id: `fc_${call_id}`,
    call_id,
    name: 'board_add_card',
    arguments: JSON.stringify({ title }),
  });
  const round = (...items: readonly { type: string; arguments?: string }[]) =>
    asStream(
      { type: 'response.created', response: {} },
      ...items.flatMap((item, at) =>
        itemEvents(at, item, 'function_call_arguments', item.arguments ? [item.arguments] : []),
      ),
      { type: 'response.completed', response: { status: 'completed', output: items } },
    );

  function startSession(url: string) {
    const cards: string[] = [];
    const addCard = defineTool({
      name: 'add_card',
      description: 'Adds a card.',
      parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      execute: ({ title }) => {
        cards.push(title);
        return `Added ${title}.`;
      },
    });
    const session = createAgentSession({
      provider: responses(url),
      domains: [defineDomain({ id: 'board', tools: [addCard] })],
    });
    const observed = observe(session);
    return {
      session,
      cards,
      async [Symbol.asyncDispose]() {
        observed.dispose();
        await session.dispose();
      },
    };
  }

  test('S-19 returns each reasoning item before its call, in every later request', async () => {
    const said = { type: 'message', content: [{ type: 'output_text', text: 'Both are there.' }] };
    await using server = await startByteServer(
      { body: round(reasoning('r1'), call('a', 'Plan')), chunkSize: 40 },
      { body: round(reasoning('r2'), call('b', 'Build')) },
      { body: round(reasoning('r3'), said) },
    );
    await using app = startSession(server.v1);
    const result = await app.session.send('Add two cards');
    expect(result).toMatchObject({ status: 'completed', text: 'Both are there.', rounds: 3 });
    expect(app.cards).toEqual(['Plan', 'Build']);
    await app.session.send('Thanks');

    const made = (id: string, title: string) => {
      const { id: _id, ...made } = call(id, title);
      return [made, { type: 'function_call_output', call_id: id, output: `Added ${title}.` }];
    };
    const first = [{ role: 'user', content: 'Add two cards' }, reasoning('r1'), ...made('a', 'Plan')];
    const second = [...first, reasoning('r2'), ...made('b', 'Build')];
    const inputs = server.arrivals.map(({ body }) => body['input']);
    expect(inputs).toEqual([
      [{ role: 'user', content: 'Add two cards' }],
      first,
      second,
      [
        ...second,
        reasoning('r3'),
        { role: 'assistant', content: 'Both are there.' },
        { role: 'user', content: 'Thanks' },
      ],
    ]);
  });

  const asked = (id: string) => ({
    type: 'mcp_approval_request',
    id,
    server_label: 'zip',
    name: 'shorten',
    arguments: '{"url":"https://app.example/"}',
  });
  const listed = { type: 'message', content: [{ type: 'output_text', text: 'Done.' }] };

  test('S-37 the user answers the approvals that a server asks for, and the answers go back in the next request', async () => {
    await using server = await startByteServer(
      {
        body: asStream(
          ...itemEvents(0, reasoning('r1'), 'x', []),
          ...itemEvents(1, asked('mcpr_1'), 'x', []),
          ...itemEvents(2, asked('mcpr_2'), 'x', []),
          ...itemEvents(3, call('a', 'Plan'), 'x', []),
          { type: 'response.completed', response: { status: 'completed' } },
        ),
      },
      { body: round(listed) },
    );
    await using app = startSession(server.v1);
    const turn = app.session.send('Shorten this address');
    await vi.waitFor(() => expect(app.session.pendingConfirmations.value).toHaveLength(2), {
      timeout: 30_000,
    });
    const [first, second] = app.session.pendingConfirmations.value;
    expect(first).toMatchObject({
      call: { tool: 'zip.shorten', arguments: { url: 'https://app.example/' } },
      irreversible: true,
    });
    await first!.approve();
    await second!.deny('Not this one.');
    expect(await turn).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(server.arrivals[1]?.body['input']).toEqual([
      { role: 'user', content: 'Shorten this address' },
      reasoning('r1'),
      asked('mcpr_1'),
      asked('mcpr_2'),
      (({ id: _id, ...made }) => made)(call('a', 'Plan')),
      { type: 'function_call_output', call_id: 'a', output: 'Added Plan.' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      {
        type: 'mcp_approval_response',
        approval_request_id: 'mcpr_2',
        approve: false,
        reason: 'The user declined this call. Reason: Not this one.',
      },
    ]);
  });

  test('S-37 an approval in an answer that reached the token limit is not asked of the user, and the next request denies it', async () => {
    const incomplete = {
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    };
    await using server = await startByteServer(
      { body: asStream(...itemEvents(0, asked('mcpr_1'), 'x', []), incomplete) },
      { body: round(listed) },
    );
    await using app = startSession(server.v1);
    expect(await app.session.send('Shorten this address')).toMatchObject({ stop: { kind: 'length' } });
    await app.session.send('Leave it');
    expect(server.arrivals[1]?.body['input']).toMatchObject([
      { role: 'user' },
      { type: 'mcp_approval_request', id: 'mcpr_1' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false },
      { role: 'assistant', content: '[This turn ended without an answer.]' },
      {
        role: 'user',
        content: expect.stringMatching(/stopped before it had an answer[^]*Leave it$/) as string,
      },
    ]);
  });

  test('T8 a call in an answer that reached the token limit does not run, and the history stays valid', async () => {
    const cut = { ...call('a', 'Plan'), arguments: '{"title":"Pl', status: 'incomplete' };
    const incomplete = {
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    };
    const events = [
      ...itemEvents(0, reasoning('r1'), 'x', []),
      ...itemEvents(1, cut, 'function_call_arguments', ['{"title":"Pl']),
    ];
    const said = { type: 'message', content: [{ type: 'output_text', text: 'Sure.' }] };
    await using server = await startByteServer(
      { body: asStream(...events, incomplete) },
      { body: round(said) },
    );
    await using app = startSession(server.v1);
    expect(await app.session.send('Add a card')).toMatchObject({
      status: 'stopped',
      stop: { kind: 'length' },
    });
    expect(app.cards).toEqual([]);
    await app.session.send('Go on');
    expect(server.arrivals[1]?.body['input']).toMatchObject([
      { role: 'user' },
      { type: 'reasoning' },
      { type: 'function_call', call_id: 'a', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a' },
      { role: 'assistant', content: '[This turn ended without an answer.]' },
      { role: 'user', content: expect.stringMatching(/stopped before it had an answer[^]*Go on$/) as string },
    ]);
  });
});
