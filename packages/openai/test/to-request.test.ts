import { createWireNames, type Message, type MessagePart, type ProviderRequest } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { toRequest } from '../src/chat/to-request.js';
import type { OpenAIOptions } from '../src/openai-options.js';
import { request } from '../../../test/kit/answer.js';

const server = 'https://api.example/v1';

function bodyOf(parts: Partial<ProviderRequest>, options: Partial<OpenAIOptions> = {}) {
  const asked = request(parts);
  const names = createWireNames(asked.tools.map((tool) => tool.name));
  return toRequest(asked, { model: 'm', ...options }, { names, server });
}

function messagesOf(messages: readonly Message[]) {
  return bodyOf({ messages }).messages;
}

let count = 0;
const user = (...parts: MessagePart[]): Message => ({ id: `u${++count}`, role: 'user', parts });
const assistant = (...parts: MessagePart[]): Message => ({ id: `a${++count}`, role: 'assistant', parts });
const text = (words: string): MessagePart => ({ type: 'text', text: words });
const call = (
  id: string,
  argumentsText: string,
  more: { tool?: string; providerCallId?: string } = {},
): MessagePart => ({
  type: 'tool-call',
  id,
  tool: 'board.add_card',
  argumentsText,
  arguments: null,
  ...more,
});
const result = (callId: string, words: string): MessagePart => ({
  type: 'tool-result',
  callId,
  outcome: 'success',
  content: [{ type: 'text', text: words }],
});

describe('toRequest', () => {
  test('converts a whole request', () => {
    const parameters = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    expect(
      bodyOf({
        system: 'You keep a board.',
        messages: [
          user(text('Add two cards.')),
          assistant(
            { type: 'thinking', text: 'Two calls.' },
            text('On it.'),
            call('c1', '{ "title": "A" }', { providerCallId: 'call_1' }),
            call('c2', '{"title":"B"}', { providerCallId: 'call_2' }),
          ),
          user(result('c1', 'Added A.'), result('c2', 'Added B.')),
          assistant(text('Done.')),
          user(text('Thanks.')),
        ],
        tools: [{ name: 'board.add_card', description: 'Adds a card.', parameters }],
        maxOutputTokens: 500,
      }),
    ).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'You keep a board.' },
        { role: 'user', content: 'Add two cards.' },
        {
          role: 'assistant',
          content: 'On it.',
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'board_add_card', arguments: '{ "title": "A" }' },
            },
            {
              id: 'call_2',
              type: 'function',
              function: { name: 'board_add_card', arguments: '{"title":"B"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Added A.' },
        { role: 'tool', tool_call_id: 'call_2', content: 'Added B.' },
        { role: 'assistant', content: 'Done.' },
        { role: 'user', content: 'Thanks.' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'board_add_card', description: 'Adds a card.', parameters },
        },
      ],
      max_completion_tokens: 500,
      stream_options: { include_usage: true },
      stream: true,
    });
  });

  test('without system, tools and limit, their fields are left out', () => {
    expect(Object.keys(bodyOf({})).sort()).toEqual(['messages', 'model', 'stream', 'stream_options']);
  });

  test('consecutive user messages become one, tool results first', () => {
    expect(
      messagesOf([
        user(text('Go.')),
        assistant(call('c1', '{}')),
        user(result('c1', 'Done.')),
        user(text('What was reverted: nothing.')),
        user(text('And now?')),
      ]),
    ).toEqual([
      { role: 'user', content: 'Go.' },
      expect.objectContaining({ role: 'assistant', content: null }),
      { role: 'tool', tool_call_id: 'c1', content: 'Done.' },
      { role: 'user', content: 'What was reverted: nothing.\n\nAnd now?' },
    ]);
  });

  test('tool results go first even if the message has text before them', () => {
    const [, , tool, after] = messagesOf([
      user(text('Go.')),
      assistant(call('c1', '{}')),
      user(text('By the way.'), result('c1', 'Done.')),
    ]);
    expect([tool?.role, after?.role]).toEqual(['tool', 'user']);
  });

  test('an empty assistant message is skipped, and the user messages around it become one', () => {
    expect(
      messagesOf([
        user(text('One.')),
        assistant(
          { type: 'thinking', text: 'Hm.', signature: 's' },
          { type: 'opaque', provider: 'other', data: 1 },
        ),
        user(text('Two.')),
      ]),
    ).toEqual([{ role: 'user', content: 'One.\n\nTwo.' }]);
  });

  test('images of the user are data URLs, in order', () => {
    expect(
      messagesOf([
        user(text('What is this?'), { type: 'image', mediaType: 'image/png', data: 'AAAA' }, text('')),
      ]),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });

  test('a tool result is text: JSON written out, images named, an empty result marked as empty', () => {
    const toolContent = (content: Extract<MessagePart, { type: 'tool-result' }>['content']) =>
      messagesOf([
        user(text('Go.')),
        assistant(call('c1', '{}')),
        user({ type: 'tool-result', callId: 'c1', outcome: 'success', content }),
      ]).at(-1)?.content;
    expect(
      toolContent([
        { type: 'text', text: 'Two cards:' },
        { type: 'json', value: { cards: [1, 2] } },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      ]),
    ).toBe('Two cards:\n{"cards":[1,2]}\n[image]');
    expect(toolContent([])).toBe('(no output)');
  });

  test('the result of a failed call is marked for the model', () => {
    expect(
      messagesOf([
        user(text('Go.')),
        assistant(call('c1', '{}')),
        user({
          type: 'tool-result',
          callId: 'c1',
          outcome: 'denied',
          content: [{ type: 'text', text: 'The user said no.' }],
        }),
      ]).at(-1)?.content,
    ).toBe('Error: The user said no.');
  });

  test.each([
    ['', '{}'],
    ['{"a": 1', '{}'],
    ['[1]', '{}'],
    ['null', '{}'],
    ['{"__proto__": {"x": 1}}', '{}'],
    [' {"a":\t1.0e2, "b": "\\u00e9"} ', ' {"a":\t1.0e2, "b": "\\u00e9"} '],
  ])('T1 T8 arguments %j are sent as %j', (argumentsText, sent) => {
    const message = messagesOf([
      user(text('Go.')),
      assistant(call('c1', argumentsText)),
      user(result('c1', 'x')),
    ])[1];
    expect(message).toMatchObject({ tool_calls: [{ function: { arguments: sent } }] });
  });

  test('T6 a call id that a provider used twice is replaced by the session’s id, in the call and in its result', () => {
    const messages = messagesOf([
      user(text('Go.')),
      assistant(call('c1', '{}', { providerCallId: 'call_0' })),
      user(result('c1', 'one')),
      assistant(call('c2', '{}', { providerCallId: 'call_0' })),
      user(result('c2', 'two')),
    ]);
    expect(messages[1]).toMatchObject({ tool_calls: [{ id: 'call_0' }] });
    expect(messages[2]).toMatchObject({ tool_call_id: 'call_0', content: 'one' });
    expect(messages[3]).toMatchObject({ tool_calls: [{ id: 'c2' }] });
    expect(messages[4]).toMatchObject({ tool_call_id: 'c2', content: 'two' });
  });

  test('T11 a call of a tool that is no longer offered keeps a name that the API accepts', () => {
    const messages = messagesOf([
      user(text('Go.')),
      assistant(call('c1', '{}', { tool: 'gone.tool with spaces' })),
      user(result('c1', 'x')),
    ]);
    expect(messages[1]).toMatchObject({ tool_calls: [{ function: { name: 'gone_tool_with_spaces' } }] });
  });

  test('S-20 reasoning details return to the server that wrote them, and to no other', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 'abc', index: 0 }];
    const from = (origin: string) =>
      messagesOf([
        user(text('Go.')),
        assistant(
          {
            type: 'opaque',
            provider: 'openai',
            data: { api: 'chat', server: origin, reasoningDetails: details },
          },
          text('Done.'),
        ),
      ])[1];
    expect(from(server)).toEqual({ role: 'assistant', content: 'Done.', reasoning_details: details });
    expect(from('https://other.example/v1')).toEqual({ role: 'assistant', content: 'Done.' });
  });

  test('AK-B6 options choose the length field, switch off usage, and add fields but override none', () => {
    expect(
      bodyOf(
        { maxOutputTokens: 10 },
        {
          maxTokensField: 'max_tokens',
          includeUsage: false,
          extraBody: { temperature: 0.2, model: 'other', stream: false, messages: [] },
        },
      ),
    ).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 10,
      temperature: 0.2,
      stream: true,
    });
  });

  test('the same request gives the same bytes', () => {
    const messages = [user(text('Go.')), assistant(call('c1', '{}')), user(result('c1', 'x'))];
    expect(JSON.stringify(bodyOf({ messages }))).toBe(JSON.stringify(bodyOf({ messages })));
  });
});
