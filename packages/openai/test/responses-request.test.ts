import {
  createWireNames,
  type JsonObject,
  type Message,
  type MessagePart,
  type ProviderRequest,
} from '@banister/provider';
import { describe, expect, test } from 'vitest';
import type { OpenAIOptions } from '../src/index.js';
import { isStrictSchema } from '../src/responses/strict-schema.js';
import { toRequest } from '../src/responses/to-request.js';
import { request } from '../../../test/kit/answer.js';

const server = 'https://api.example/v1';

function bodyOf(parts: Partial<ProviderRequest>, options: Partial<OpenAIOptions> = {}) {
  const asked = request(parts);
  const names = createWireNames(asked.tools.map((tool) => tool.name));
  return toRequest(asked, { model: 'm', ...options }, { names, server, model: 'm' });
}

function inputOf(...messages: readonly Message[]): unknown[] {
  return bodyOf({ messages }).input as unknown[];
}

let count = 0;
const user = (...parts: MessagePart[]): Message => ({ id: `u${++count}`, role: 'user', parts });
const assistant = (...parts: MessagePart[]): Message => ({ id: `a${++count}`, role: 'assistant', parts });
const text = (words: string): MessagePart => ({ type: 'text', text: words });
const call = (id: string, argumentsText = '{}', providerCallId = id): MessagePart => ({
  type: 'tool-call',
  id,
  providerCallId,
  tool: 'board.add_card',
  argumentsText,
  arguments: null,
});
const result = (callId: string, words: string): MessagePart => ({
  type: 'tool-result',
  callId,
  outcome: 'success',
  content: [text(words) as { type: 'text'; text: string }],
});
const item = (fields: JsonObject, origin: JsonObject = { server, model: 'm' }): MessagePart => ({
  type: 'opaque',
  provider: 'openai',
  data: { api: 'responses', ...origin, item: fields },
});

const functionCall = (call_id: string, args = '{}') => ({
  type: 'function_call',
  call_id,
  name: 'board_add_card',
  arguments: args,
});
const output = (call_id: string, words: string) => ({ type: 'function_call_output', call_id, output: words });
const reasoning = (id: string): JsonObject => ({
  type: 'reasoning',
  id,
  summary: [],
  encrypted_content: `secret of ${id}`,
});

describe('a request of the Responses API', () => {
  test('has all fields', () => {
    const parameters = {
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
    };
    expect(
      bodyOf({
        system: 'You keep a board.',
        messages: [
          user(text('Add two cards.')),
          assistant(
            { type: 'thinking', text: 'Two calls.' },
            item(reasoning('rs_1')),
            text('On it.'),
            call('c1', '{ "title": "A" }', 'call_1'),
            call('c2', '{"title":"B"}', 'call_2'),
          ),
          user(result('c1', 'Added A.'), result('c2', 'Added B.')),
          assistant(text('Done.')),
          user(text('Thanks.')),
        ],
        tools: [
          { name: 'board.add_card', description: 'Adds a card.', parameters },
          {
            name: 'board.list',
            description: 'Lists.',
            parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
          },
        ],
        maxOutputTokens: 500,
      }),
    ).toEqual({
      model: 'm',
      instructions: 'You keep a board.',
      input: [
        { role: 'user', content: 'Add two cards.' },
        reasoning('rs_1'),
        { role: 'assistant', content: 'On it.' },
        functionCall('call_1', '{ "title": "A" }'),
        functionCall('call_2', '{"title":"B"}'),
        output('call_1', 'Added A.'),
        output('call_2', 'Added B.'),
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'Thanks.' },
      ],
      tools: [
        { type: 'function', name: 'board_add_card', description: 'Adds a card.', parameters, strict: false },
        {
          type: 'function',
          name: 'board_list',
          description: 'Lists.',
          parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
          strict: true,
        },
      ],
      max_output_tokens: 500,
      include: ['reasoning.encrypted_content'],
      store: false,
      stream: true,
    });
  });

  test('leaves out unneeded fields', () => {
    expect(bodyOf({}, { encryptedReasoning: false })).toEqual({
      model: 'm',
      input: [{ role: 'user', content: 'Hello' }],
      store: false,
      stream: true,
    });
  });

  test("adds the app's fields, which override none; its tools and includes are appended", () => {
    const parameters = { type: 'object' };
    expect(
      bodyOf(
        { tools: [{ name: 'a.b', description: '', parameters }] },
        {
          extraBody: {
            reasoning: { effort: 'low' },
            store: true,
            stream: false,
            model: 'other',
            tools: [{ type: 'web_search' }],
            include: ['web_search_call.action.sources'],
          },
        },
      ),
    ).toMatchObject({
      model: 'm',
      reasoning: { effort: 'low' },
      store: false,
      stream: true,
      tools: [{ name: 'a_b' }, { type: 'web_search' }],
      include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
    });
  });

  test('consecutive user messages become one, tool results first; images are data URLs', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const;
    expect(
      inputOf(
        user(text('Go.')),
        assistant(call('c1')),
        user(text('By the way.'), result('c1', 'Done.')),
        user(text('And now?'), image),
      ).slice(2),
    ).toEqual([
      output('c1', 'Done.'),
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'By the way.' },
          { type: 'input_text', text: 'And now?' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
        ],
      },
    ]);
  });

  test('an image in a tool result is sent as an image, beside the other content', () => {
    const content = [
      { type: 'text', text: 'No chart.' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    ] as const;
    expect(
      inputOf(
        user(text('Go.')),
        assistant(call('c1')),
        user({ type: 'tool-result', callId: 'c1', outcome: 'failed', content }),
      ).at(-1),
    ).toEqual({
      type: 'function_call_output',
      call_id: 'c1',
      output: [
        { type: 'input_text', text: 'Error: No chart.' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
      ],
    });
  });

  test.each([
    ['', '{}'],
    ['{"a": 1', '{}'],
    ['[1]', '{}'],
    ['{"__proto__": {"x": 1}}', '{}'],
  ])('T1 T8 arguments %j are sent as %j', (argumentsText, sent) => {
    expect(
      inputOf(user(text('Go.')), assistant(call('c1', argumentsText)), user(result('c1', 'x')))[1],
    ).toEqual(functionCall('c1', sent));
  });

  test('T6 a call id that a provider used twice is replaced by the session’s id, in the call and in its result', () => {
    expect(
      inputOf(
        user(text('Go.')),
        assistant(call('c1', '{}', 'call_0')),
        user(result('c1', 'one')),
        assistant(call('c2', '{}', 'call_0')),
        user(result('c2', 'two')),
      ).slice(1),
    ).toEqual([functionCall('call_0'), output('call_0', 'one'), functionCall('c2'), output('c2', 'two')]);
  });

  test('the same request gives the same bytes', () => {
    const messages = [
      user(text('Go.')),
      assistant(item(reasoning('r')), call('c1')),
      user(result('c1', 'x')),
    ];
    expect(JSON.stringify(bodyOf({ messages }))).toBe(JSON.stringify(bodyOf({ messages })));
  });
});

describe('S-19 reasoning is returned together with the item that it led to, or not at all', () => {
  const sent = (...parts: MessagePart[]) =>
    inputOf(user(text('Go.')), assistant(...parts)).slice(1) as { type?: string; id?: string }[];
  const search = (id: string): JsonObject => ({ type: 'web_search_call', id, status: 'completed' });

  test('each reasoning item comes before its own call, in order', () => {
    expect(sent(item(reasoning('r1')), call('c1'), item(reasoning('r2')), call('c2'))).toEqual([
      reasoning('r1'),
      functionCall('c1'),
      reasoning('r2'),
      functionCall('c2'),
    ]);
  });

  test('is left out if nothing follows', () => {
    expect(sent(text('Hm.'), item(reasoning('r1')), item(reasoning('r2')))).toEqual([
      { role: 'assistant', content: 'Hm.' },
    ]);
    expect(sent(item(reasoning('r1')))).toEqual([]);
  });

  test.each<[string, JsonObject]>([
    ['server', { server: 'https://other.example/v1', model: 'm' }],
    ['model', { server, model: 'other' }],
  ])('is not sent to another %s', (_name, origin) => {
    expect(sent(item(reasoning('r1'), origin), item(search('w'), origin), call('c1'))).toEqual([
      functionCall('c1'),
    ]);
  });

  test('is dropped together with the items that it led to if a server without storage cannot read it', () => {
    const unreadable: JsonObject = { type: 'reasoning', id: 'r1', summary: [] };
    expect(
      sent(item(unreadable), item(search('w1')), item(reasoning('r2')), item(search('w2')), text('Hi')),
    ).toEqual([{ role: 'assistant', content: 'Hi' }]);
    const plain: JsonObject = { ...unreadable, content: [{ type: 'reasoning_text', text: 'Hm.' }] };
    expect(sent(item({ ...plain, status: 'completed' }), call('c1'))).toEqual([plain, functionCall('c1')]);
  });

  test('S-36 items of the server’s own tools are returned; open requests for approval are not', () => {
    expect(sent(item(reasoning('r')), item(search('w')), text('Hi'))).toEqual([
      reasoning('r'),
      search('w'),
      { role: 'assistant', content: 'Hi' },
    ]);
    const open: JsonObject[] = [
      { ...search('w'), status: 'searching' },
      { type: 'mcp_approval_request', id: 'a' },
      { type: 'shell_call', call_id: 's' },
    ];
    for (const one of open) {
      expect(sent(item(reasoning('r')), item(one), text('Hi'))).toEqual([
        { role: 'assistant', content: 'Hi' },
      ]);
    }
    const shell: JsonObject[] = [
      { type: 'shell_call', call_id: 's' },
      { type: 'shell_call_output', call_id: 's' },
    ];
    expect(sent(...shell.map((one) => item(one)), text('Hi'))).toHaveLength(3);
  });

  test.each([
    [true, 'The call that you asked to approve is approved: ask for it again.'],
    [false, 'The call that you asked to approve is refused: Not now.'],
  ])('S-37 an approval whose request cannot be returned is sent as text: %s', (isApproved, words) => {
    const unreadable: JsonObject = { type: 'reasoning', id: 'r1', summary: [] };
    const asked = { ...call('c1', '{}', 'mcpr_1'), hosted: true } as MessagePart;
    const outcome = isApproved ? 'success' : 'denied';
    const input = inputOf(
      user(text('Go.')),
      assistant(item(unreadable), item({ type: 'mcp_approval_request', id: 'mcpr_1' }), asked),
      user({ ...result('c1', 'Not now.'), outcome } as MessagePart),
    );
    expect(input).toEqual([
      { role: 'user', content: 'Go.' },
      { role: 'user', content: words },
    ]);
  });

  test('a custom call goes back as a custom call, and so does its result', () => {
    const custom: JsonObject = { type: 'custom_tool_call', call_id: 'k', name: 'sql', input: 'SELECT 1' };
    const input = inputOf(
      user(text('Go.')),
      assistant(call('c1', 'SELECT 1', 'k'), item(custom)),
      user({ ...(result('c1', 'x') as object), outcome: 'rejected' } as MessagePart),
    );
    expect(input.slice(1)).toEqual([
      custom,
      { type: 'custom_tool_call_output', call_id: 'k', output: 'Error: x' },
    ]);
  });

  test('the phase of a message is returned with it', () => {
    expect(sent(text('Wait.'), item({ type: 'message', phase: 'commentary' }), call('c1'))[0]).toEqual({
      role: 'assistant',
      content: 'Wait.',
      phase: 'commentary',
    });
  });
});

describe('strict schemas', () => {
  const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  });

  test.each<[boolean, JsonObject]>([
    [true, object({})],
    [true, object({ a: { type: 'string', enum: ['x'] }, b: { type: ['number', 'null'] } })],
    [
      true,
      object({
        a: { type: 'array', items: object({ b: { anyOf: [{ type: 'null' }, { type: 'string' }] } }) },
      }),
    ],
    [false, { type: 'object' }],
    [false, object({ a: { type: 'string' } }, { required: [] })],
    [false, object({}, { additionalProperties: true })],
    [false, object({ a: { type: 'object' } })],
    [false, object({ a: { type: 'string', pattern: '^x' } })],
    [false, object({ a: { type: 'array' } })],
    [false, object({ a: {} })],
    [false, object({}, { anyOf: [] })],
    [false, object({ a: { $ref: '#' } })],
  ])('%s for %j', (strict, schema) => {
    expect(isStrictSchema(schema)).toBe(strict);
  });
});
