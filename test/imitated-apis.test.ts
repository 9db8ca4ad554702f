import { anthropic } from '@banister/anthropic';
import { openai } from '@banister/openai';
import { createAgentSession, defineDomain, immediate, type JsonObject } from '@banister/session';
import { spyTool } from '@banister/testing';
import { describe, expect, test } from 'vitest';
import { answerOf, type Answer } from './kit/answer.js';
import { startByteServer, type Script } from './kit/byte-server.js';

// Faults of servers that imitate an API, in each of the three APIs: one table for each kind.

type Api = 'chat' | 'responses' | 'messages';

const apis: readonly Api[] = ['chat', 'responses', 'messages'];
const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const done = event('[DONE]');

function providerOf(api: Api, url: string) {
  return api === 'messages'
    ? anthropic({ model: 'm', baseURL: url })
    : openai({ model: 'm', baseURL: `${url}/v1`, api });
}

async function serve(api: Api, events: readonly (object | string)[]): Promise<Answer> {
  await using server = await startByteServer({ body: events.map(event).join('') });
  return await answerOf(providerOf(api, server.url));
}

const chunk = (delta: object, finish: string | null = null, fields: object = {}) => ({
  choices: [{ index: 0, delta, finish_reason: finish, ...fields }],
});
const piece = (index: unknown, id: string | undefined, text: unknown, name?: string) =>
  chunk({ tool_calls: [{ index, id, function: { name, arguments: text } }] });
const item = (id: string | undefined, call_id: string, text: unknown = '') => ({
  type: 'function_call',
  id,
  call_id,
  name: 'board_add',
  arguments: text,
});
const response = (output: object[], fields: object = {}) => ({
  type: 'response.completed',
  response: { status: 'completed', output, ...fields },
});
const block = (index: unknown, id: string, input: unknown = {}) => ({
  type: 'content_block_start',
  index,
  content_block: { type: 'tool_use', id, name: 'board_add', input },
});
const input = (index: unknown, partial_json: unknown) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
});
const blockStop = (index: unknown) => ({ type: 'content_block_stop', index });
const begin = { type: 'message_start', message: { id: 'm' } };
const end = (stop_reason: string, fields: object = {}) => ({
  type: 'message_delta',
  delta: { stop_reason },
  ...fields,
});
const stop = { type: 'message_stop' };
const textOf: Readonly<Record<Api, readonly object[]>> = {
  chat: [chunk({ content: 'Hi' })],
  responses: [{ type: 'response.output_text.delta', item_id: 'i', delta: 'Hi' }],
  messages: [
    begin,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
    blockStop(0),
  ],
};

const x = '{"title":"x"}';
const y = '{"title":"y"}';

describe('one call in pieces is one call, two stay two', () => {
  test.each<[string, Api, string[], (object | string)[]]>([
    [
      'indexes that are texts',
      'chat',
      [x, y],
      [
        piece('0', 'a', '', 'board_add'),
        piece('1', 'b', '', 'board_add'),
        piece('0', undefined, x),
        piece('1', undefined, y),
      ],
    ],
    [
      'indexes that are texts, in turns',
      'chat',
      [x, y],
      [
        piece('0', 'a', '{"title"', 'board_add'),
        piece('1', 'b', '{"title"', 'board_add'),
        piece('0', undefined, ':"x"}'),
        piece('1', undefined, ':"y"}'),
      ],
    ],
    [
      'the call in both fields for calls',
      'chat',
      [x],
      [
        chunk({
          function_call: { name: 'board_add', arguments: x },
          tool_calls: [{ index: 0, id: 'a', function: { name: 'board_add', arguments: x } }],
        }),
      ],
    ],
    [
      'arguments as an object, twice',
      'chat',
      [x],
      [piece(0, 'a', { title: 'x' }, 'board_add'), piece(0, 'a', { title: 'x' }, 'board_add')],
    ],
    [
      'indexes that are texts',
      'responses',
      [x, y],
      [
        { type: 'response.output_item.added', output_index: '0', item: item(undefined, 'a') },
        { type: 'response.output_item.added', output_index: '1', item: item(undefined, 'b') },
        { type: 'response.function_call_arguments.delta', output_index: '0', delta: x },
        { type: 'response.function_call_arguments.delta', output_index: '1', delta: y },
        response([]),
      ],
    ],
    ['arguments as an object', 'responses', [x], [response([item('i', 'a', { title: 'x' })])]],
    [
      'indexes that are texts',
      'messages',
      [x, y],
      [begin, block('0', 'a'), block('1', 'b'), input('0', x), input('1', y), blockStop('0'), blockStop('1')],
    ],
    ['arguments as a text in the first event', 'messages', [x], [begin, block(0, 'a', x), blockStop(0)]],
    [
      'a piece that is an object',
      'messages',
      [x],
      [begin, block(0, 'a'), input(0, { title: 'x' }), blockStop(0)],
    ],
  ])('audit-R1 %s (%s)', async (_name, api, calls, events) => {
    const ends = {
      chat: [chunk({}, 'tool_calls'), '[DONE]'],
      responses: [],
      messages: [end('tool_use'), stop],
    };
    const answer = await serve(api, [...events, ...ends[api]]);
    expect(answer.error).toBe(null);
    expect(answer.calls.map(({ argumentsText }) => argumentsText)).toEqual(calls);
  });
});

describe('an error in an answer', () => {
  const said = 'the request exceeds the available context size';
  const error = { message: said, code: 400 };

  test.each<[string, Api, (object | string)[]]>([
    ['behind a finish reason', 'chat', [...textOf.chat, chunk({}, 'stop'), { error }]],
    ['in the piece', 'chat', [chunk({ error })]],
    ['as an object within its message', 'chat', [{ error: { message: { message: said } } }]],
    ['with a description', 'chat', [{ error_description: said }]],
    ['of its own type', 'responses', [{ type: 'response.error', error }]],
    ['in an incomplete response', 'responses', [{ type: 'response.incomplete', response: { error } }]],
    ['with the reason', 'messages', [...textOf.messages, end('error', { error }), stop]],
    [
      'in the place of the message',
      'messages',
      [{ type: 'message_start', message: { type: 'error', error } }],
    ],
    ['as a text', 'messages', [begin, { type: 'error', error: said }]],
  ])('audit-R2 %s (%s) is that error, with its words', async (_name, api, events) => {
    const { error: thrown, finish } = await serve(api, events);
    expect({ code: thrown?.code, finish }).toEqual({ code: 'context-length', finish: null });
    expect(thrown?.details['said']).toContain(said);
  });
});

describe('a reason that names a failure', () => {
  test.each([
    'exception',
    'crashed',
    'preempted',
    'UNEXPECTED_TOOL_CALL',
    'server_error',
    'engine_overloaded',
  ])('audit-R3 %s ends no answer, and no call of it runs', async (reason) => {
    for (const events of [
      ['chat', piece(0, 'a', x, 'board_add'), chunk({}, reason), '[DONE]'],
      [
        'responses',
        { type: 'response.output_item.done', item: item('i', 'a', x) },
        {
          type: 'response.incomplete',
          response: { status: 'incomplete', incomplete_details: { reason } },
        },
      ],
      ['messages', begin, block(0, 'a', { title: 'x' }), blockStop(0), end(reason), stop],
    ] as const) {
      const [api, ...sent] = events;
      const { error, finish } = await serve(api, sent);
      expect({ api, finish, retry: error?.retry }).toEqual({ api, finish: null, retry: 'now' });
    }
  });
});

test('audit-R12 a key that ran out is fetched anew, once', async () => {
  for (const api of apis) {
    const end401 = { status: 401, headers: { 'content-type': 'application/json' }, body: '{}' };
    await using server = await startByteServer(end401, end401);
    let made = 0;
    const options = { model: 'm', apiKey: () => `key-${++made}` };
    const provider =
      api === 'messages'
        ? anthropic({ ...options, baseURL: server.url })
        : openai({ ...options, baseURL: server.v1, api });
    expect((await answerOf(provider)).error?.code).toBe('auth');
    expect(server.arrivals.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-1',
      'Bearer key-2',
    ]);
  }
});

describe('token counts', () => {
  const ofChat = { prompt_tokens: 12, completion_tokens: 7 };
  const own = { input_tokens: 12, output_tokens: 7 };

  test.each<[string, Api, (object | string)[]]>([
    ['by the names of Responses', 'chat', [...textOf.chat, chunk({}, 'stop'), { choices: [], usage: own }]],
    ['in the piece', 'chat', [...textOf.chat, chunk({ usage: ofChat }, 'stop')]],
    [
      'in a field of the vendor',
      'chat',
      [...textOf.chat, { ...chunk({}, 'stop'), x_groq: { usage: ofChat } }],
    ],
    ['beside the response', 'responses', [...textOf.responses, { ...response([]), usage: own }]],
    ['by the names of Chat', 'responses', [...textOf.responses, response([], { usage: ofChat })]],
    ['in the last event', 'messages', [...textOf.messages, end('end_turn'), { ...stop, usage: own }]],
    [
      'beside the reason',
      'messages',
      [...textOf.messages, { type: 'message_delta', delta: { stop_reason: 'end_turn', usage: own } }, stop],
    ],
    [
      'behind zeros',
      'messages',
      [
        { type: 'message_start', message: { id: 'm', usage: { input_tokens: 0 } } },
        ...textOf.messages.slice(1),
        end('end_turn', { usage: own }),
        stop,
      ],
    ],
  ])('audit-R8 %s count (%s)', async (_name, api, events) => {
    expect((await serve(api, events)).usage).toEqual({ inputTokens: 12, outputTokens: 7 });
  });
});

describe('a session', () => {
  const text: Readonly<Record<Api, string>> = {
    chat: [...textOf.chat, chunk({}, 'stop')].map(event).join('') + done,
    responses: [...textOf.responses, response([])].map(event).join(''),
    messages: [...textOf.messages, end('end_turn'), stop].map(event).join(''),
  };
  const call: Readonly<Record<Api, (text: string) => string>> = {
    chat: (args) => [piece(0, 'a', args, 'board_add'), chunk({}, 'tool_calls')].map(event).join('') + done,
    responses: (args) => event(response([item('i', 'a', args)])),
    messages: (args) =>
      [begin, block(0, 'a'), input(0, args), blockStop(0), end('tool_use'), stop].map(event).join(''),
  };
  const json = { 'content-type': 'application/json' };
  const png = Uint8Array.from(
    atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
    (letter) => letter.charCodeAt(0),
  );
  const card: JsonObject = {
    type: 'object',
    properties: {
      title: { type: 'string' },
      at: { type: 'object', properties: { due: { type: 'string' }, who: { type: ['string', 'null'] } } },
    },
    required: ['title'],
  };

  async function play(api: Api, scripts: readonly Script[], parameters: JsonObject = card) {
    const server = await startByteServer(...scripts);
    const add = spyTool('add', { parameters });
    const session = createAgentSession({
      provider: providerOf(api, server.url),
      domains: [defineDomain({ id: 'board', tools: [add] })],
      limits: { maxRetries: 0 },
      ports: { scheduler: immediate() },
    });
    return {
      session,
      runs: () => add.runs.map(({ args }) => args),
      sent: (at: number) => server.arrivals[at]?.text ?? '',
      async [Symbol.asyncDispose]() {
        await session.dispose();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  const refused = { message: 'Invalid image: could not decode.', type: 'invalid_request_error' };

  test.each<[string, string, Script]>([
    [
      'by its status',
      'invalid-configuration',
      { status: 400, headers: json, body: JSON.stringify({ error: refused }) },
    ],
    ['as no media', 'invalid-configuration', { status: 415, headers: json, body: '{}' }],
    ['as too large', 'context-length', { status: 413, body: 'Too large.' }],
    ['in an answer', 'invalid-configuration', { body: event({ type: 'error', error: refused }) }],
    [
      'in an answer, with a code',
      'invalid-configuration',
      { body: event({ type: 'error', error: { ...refused, code: 400 } }) },
    ],
  ])(
    'audit-R6 an image that is refused %s is not sent again by the next message',
    async (_name, code, refusal) => {
      for (const api of apis) {
        await using played = await play(api, [refusal, { body: text[api] }]);
        await expect(played.session.send({ text: 'Look', files: [png] })).rejects.toMatchObject({ code });
        expect((await played.session.send('Hello?')).text).toBe('Hi');
        expect(played.sent(0)).toContain('iVBORw0KGgo');
        expect(played.sent(1)).not.toContain('iVBORw0KGgo');
      }
    },
  );

  test('audit-R2 an error in the middle of an answer refuses no request', async () => {
    for (const api of apis) {
      const { error } = await serve(api, [...textOf[api], { type: 'error', error: refused }]);
      expect(error).toMatchObject({ code: 'server', retry: 'now' });
    }
  });

  test.each([
    ['before the call', [chunk({ reasoning_content: 'Hm. ' }), chunk({ reasoning_content: 'Yes.' }), 'call']],
    ['behind the call', ['call', chunk({ reasoning_content: 'Hm. Yes.' })]],
    ['beside the call', ['call', chunk({ content: null, reasoning_content: 'Hm. Yes.' }, 'tool_calls')]],
  ])('audit-R4 reasoning %s goes back with it, within the loop of tools alone', async (_name, sent) => {
    const body = sent.map((one) => event(one === 'call' ? piece(0, 'a', x, 'board_add') : one)).join('');
    const first = body + event(chunk({}, 'tool_calls')) + done;
    await using played = await play('chat', [{ body: first }, { body: text.chat }]);
    await played.session.send('Add it');
    await played.session.send('And?');
    expect(played.sent(1)).toContain('"reasoning_content":"Hm. Yes."');
    expect(played.sent(2)).not.toContain('reasoning_content');
  });

  test('audit-R10 a value in a fence behind thinking is read, with one request', async () => {
    const value = '<think>Hm.</think>\n```JSON\n{"title":"x"}\n```';
    const said: Readonly<Record<Api, (object | string)[]>> = {
      chat: [chunk({ content: value }), chunk({}, 'stop'), '[DONE]'],
      responses: [response([{ type: 'message', content: [{ type: 'output_text', text: value }] }])],
      messages: [
        begin,
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: value } },
        blockStop(0),
        end('end_turn'),
        stop,
      ],
    };
    for (const api of apis) {
      await using played = await play(api, [{ body: said[api].map(event).join('') }]);
      const title = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
      expect(await played.session.generate('Which?', title)).toEqual({ title: 'x' });
      expect(played.sent(1)).toBe('');
    }
  });

  test('audit-R7 behind a message that failed the model is told so', async () => {
    for (const api of apis) {
      await using played = await play(api, [{ status: 401, headers: json, body: '{}' }, { body: text[api] }]);
      await expect(played.session.send('Delete all boards')).rejects.toMatchObject({ code: 'auth' });
      await played.session.send('What time is it?');
      expect(played.sent(1)).toMatch(/Delete all boards.*previous turn failed.*What time is it/s);
    }
  });

  test.each([
    ['quotes of another language', "{'title': 'two words'}", "'two words'"],
    ['a list', '["two words"]', 'two words'],
    ['a text that was cut', '{"title": "two words', 'two words'],
  ])('audit-R11 the model sees its own arguments: %s', async (_name, args, seen) => {
    for (const api of apis) {
      await using played = await play(api, [{ body: call[api](args) }, { body: text[api] }]);
      await played.session.send('Add it').catch(() => {});
      expect(played.runs()).toEqual([]);
      expect(played.sent(1)).toContain(seen);
    }
  });

  test.each([
    ['{"title":"a","at":null}', { title: 'a' }],
    ['{"title":"a","at":{"due":null,"who":null}}', { title: 'a', at: { who: null } }],
  ])('audit-R11 null is absent if the schema has no null: %s', async (args, run) => {
    for (const api of apis) {
      await using played = await play(api, [{ body: call[api](args) }, { body: text[api] }]);
      await played.session.send('Add it');
      expect(played.runs()).toEqual([run]);
    }
  });

  test.each<[string, JsonObject]>([
    ['alone', { type: 'object' }],
    ['beside a description', { type: 'object', description: 'Nothing.' }],
    ['and closed', { type: 'object', additionalProperties: false }],
  ])(
    'audit-R13 a schema without properties %s is sent with an empty object of them',
    async (_name, schema) => {
      for (const api of apis) {
        await using played = await play(api, [{ body: text[api] }], schema);
        await played.session.send('Hi');
        expect(played.sent(0)).toContain('"properties":{}');
      }
    },
  );
});
