import {
  createWireNames,
  type JsonValue,
  type Message,
  type MessagePart,
  type ProviderRequest,
  type ToolResultPart,
} from '@banister/provider';
import { describe, expect, test } from 'vitest';
import type { AnthropicOptions } from '../src/anthropic-options.js';
import { toRequest } from '../src/to-request.js';
import { request } from '../../../test/kit/answer.js';
import { recordings } from './recordings.js';

function bodyOf(parts: Partial<ProviderRequest>, options: Partial<AnthropicOptions> = {}) {
  const asked = request(parts);
  const serverNames = (options.serverTools ?? []).map(({ name }) => String(name));
  const names = createWireNames([...serverNames, ...asked.tools.map((tool) => tool.name)]);
  return toRequest(asked, { model: 'm', promptCaching: false, ...options }, names);
}

function messagesOf(...messages: readonly Message[]) {
  return bodyOf({ messages }).messages;
}

let count = 0;
const user = (...parts: MessagePart[]): Message => ({ id: `u${++count}`, role: 'user', parts });
const assistant = (...parts: MessagePart[]): Message => ({ id: `a${++count}`, role: 'assistant', parts });
const text = (words: string): MessagePart => ({ type: 'text', text: words });
const thinking = (words: string, signature?: string): MessagePart => ({
  type: 'thinking',
  text: words,
  ...(signature === undefined ? {} : { signature }),
});
const opaque = (data: JsonValue, provider = 'anthropic'): MessagePart => ({ type: 'opaque', provider, data });
const call = (
  id: string,
  args: { readonly [key: string]: JsonValue } | null = {},
  more: object = {},
): MessagePart => ({
  type: 'tool-call',
  id,
  tool: 'board.add_card',
  argumentsText: args === null ? '{"cut": ' : JSON.stringify(args),
  arguments: args,
  ...more,
});
const result = (
  callId: string,
  words = 'x',
  outcome: ToolResultPart['outcome'] = 'success',
): MessagePart => ({
  type: 'tool-result',
  callId,
  outcome,
  content: [{ type: 'text', text: words }],
});
const go = user(text('Go.'));
const sent = (words: string) => ({ type: 'text', text: words });

describe('toRequest', () => {
  const parameters = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
  const whole: Partial<ProviderRequest> = {
    system: 'You keep a board.',
    messages: [
      user(text('Add two cards.')),
      assistant(
        thinking('Two calls.', 'c2ln+/='),
        text('On it.'),
        call('c1', { title: 'A' }, { providerCallId: 'toolu_1' }),
        call('c2', { title: 'B' }, { providerCallId: 'toolu_2' }),
      ),
      user(result('c1', 'Added A.'), result('c2', 'No room.', 'failed')),
      assistant(text('Done.')),
      user(text('Thanks.')),
    ],
    tools: [{ name: 'board.add_card', description: 'Adds a card.', parameters }],
    maxOutputTokens: 500,
  };

  test('S-16 converts a whole request', () => {
    expect(bodyOf(whole)).toEqual({
      model: 'm',
      max_tokens: 500,
      system: [sent('You keep a board.')],
      messages: [
        { role: 'user', content: [sent('Add two cards.')] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Two calls.', signature: 'c2ln+/=' },
            sent('On it.'),
            { type: 'tool_use', id: 'toolu_1', name: 'board_add_card', input: { title: 'A' } },
            { type: 'tool_use', id: 'toolu_2', name: 'board_add_card', input: { title: 'B' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [sent('Added A.')] },
            { type: 'tool_result', tool_use_id: 'toolu_2', content: [sent('No room.')], is_error: true },
          ],
        },
        { role: 'assistant', content: [sent('Done.')] },
        { role: 'user', content: [sent('Thanks.')] },
      ],
      tools: [{ name: 'board_add_card', description: 'Adds a card.', input_schema: parameters }],
      stream: true,
    });
  });

  test('by default, tools, system prompt and the last two user messages are marked for the cache', () => {
    const mark = { type: 'ephemeral' };
    const body = bodyOf(whole, { promptCaching: true });
    expect(body.tools?.at(-1)).toMatchObject({ name: 'board_add_card', cache_control: mark });
    expect(body.system).toEqual([{ ...sent('You keep a board.'), cache_control: mark }]);
    expect(body.messages.map(({ content }) => (Array.isArray(content) ? content.at(-1) : null))).toEqual([
      sent('Add two cards.'),
      expect.not.objectContaining({ cache_control: mark }),
      expect.objectContaining({ type: 'tool_result', tool_use_id: 'toolu_2', cache_control: mark }),
      sent('Done.'),
      { ...sent('Thanks.'), cache_control: mark },
    ]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
    expect(JSON.stringify(bodyOf(whole, { promptCaching: '1h' })).match(/"ttl":"1h"/g)).toHaveLength(4);
  });

  test('without system, tools and options, their fields are left out', () => {
    expect(Object.keys(bodyOf({})).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream']);
  });

  test('the same request gives the same bytes', () => {
    expect(JSON.stringify(bodyOf(whole))).toBe(JSON.stringify(bodyOf(whole)));
  });
});

describe('the bounds', () => {
  test.each([
    [undefined, undefined, 32_000],
    [undefined, 8_000, 8_000],
    [500, undefined, 500],
    [500, 8_000, 500],
    [9_000, 8_000, 8_000],
    [0.5, undefined, 1],
  ])('a limit of %s and an option of %s give max_tokens %i', (maxOutputTokens, option, max_tokens) => {
    expect(bodyOf({ maxOutputTokens }, { maxOutputTokens: option }).max_tokens).toBe(max_tokens);
  });

  test('a thinking budget leaves some of the tokens, or is left out', () => {
    const budget = { type: 'enabled', budget_tokens: 4_096 } as const;
    const thinkingWith = (maxOutputTokens?: number) =>
      bodyOf({ maxOutputTokens }, { thinking: budget }).thinking;
    expect(thinkingWith()).toEqual(budget);
    expect(thinkingWith(2_000)).toEqual({ type: 'enabled', budget_tokens: 1_999 });
    expect(thinkingWith(1_000)).toBeUndefined();
    expect(bodyOf({ maxOutputTokens: 10 }, { thinking: { type: 'adaptive' } }).thinking).toEqual({
      type: 'adaptive',
    });
  });
});

describe('messages', () => {
  test('consecutive user messages become one, tool results first', () => {
    expect(
      messagesOf(
        go,
        assistant(call('c1')),
        user(text('By the way.')),
        user(result('c1', 'Done.')),
        user(text('So?')),
      ),
    ).toEqual([
      { role: 'user', content: [sent('Go.')] },
      { role: 'assistant', content: [expect.objectContaining({ type: 'tool_use' })] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: [sent('Done.')] },
          sent('By the way.'),
          sent('So?'),
        ],
      },
    ]);
  });

  test('an empty assistant message is skipped, and the user messages around it become one', () => {
    expect(
      messagesOf(
        user(text('One.')),
        assistant(thinking('Hm.'), text('\n\n'), opaque({ type: 'reasoning', id: 'rs_1' }, 'openai')),
        user(text('Two.')),
      ),
    ).toEqual([{ role: 'user', content: [sent('One.'), sent('Two.')] }]);
  });

  test('the first message is from the user', () => {
    expect(messagesOf(assistant(text('Welcome.')), user(text('Hi.')))).toEqual([
      { role: 'user', content: [sent('(The conversation begins.)')] },
      { role: 'assistant', content: [sent('Welcome.')] },
      { role: 'user', content: [sent('Hi.')] },
    ]);
  });

  test('two assistant messages with nothing between them become one', () => {
    expect(messagesOf(go, assistant(text('A.')), user(text(' ')), assistant(text('B.')))).toEqual([
      { role: 'user', content: [sent('Go.')] },
      { role: 'assistant', content: [sent('A.'), sent('B.')] },
    ]);
  });

  test('images of the user and of tools are sent in order, except in errors and in formats that the API refuses', () => {
    const image = (mediaType: string) => ({ type: 'image', mediaType, data: 'AAAA' }) as const;
    const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const shot = (callId: string, outcome: ToolResultPart['outcome']): MessagePart => ({
      type: 'tool-result',
      callId,
      outcome,
      content: [{ type: 'json', value: { cards: [1] } }, image('image/png')],
    });
    const messages = messagesOf(
      user(text('What is this?'), image('image/png'), image('image/tiff')),
      assistant(call('c1'), call('c2')),
      user(shot('c1', 'success'), shot('c2', 'failed')),
    );
    expect(messages[0]?.content).toEqual([
      sent('What is this?'),
      png,
      sent('[an image of type image/tiff, not readable]'),
    ]);
    expect(messages[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'c1', content: [sent('{"cards":[1]}'), png] },
      {
        type: 'tool_result',
        tool_use_id: 'c2',
        content: [sent('{"cards":[1]}'), sent('[image]')],
        is_error: true,
      },
    ]);
  });

  test('a result without content is marked as empty, a result without its call is left out', () => {
    const nothing: MessagePart = { type: 'tool-result', callId: 'c1', outcome: 'success', content: [] };
    expect(messagesOf(go, assistant(call('c1')), user(nothing, result('c0')))[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'c1', content: [sent('(no output)')] },
    ]);
  });
});

describe('calls', () => {
  test('T1 T8 the input is the parsed arguments; empty if there are none or if they were cut', () => {
    const inputs = messagesOf(
      go,
      assistant(call('c1', { a: 1 }), call('c2', {}), call('c3', null)),
      user(result('c1'), result('c2'), result('c3')),
    )[1]?.content;
    expect(inputs).toMatchObject([{ input: { a: 1 } }, { input: {} }, { input: {} }]);
  });

  test('T6 ids are unique and consist of characters that the API accepts, in the call and in its result', () => {
    const messages = messagesOf(
      go,
      assistant(
        call('c1', {}, { providerCallId: 'functions.add:0' }),
        call('c2', {}, { providerCallId: 'functions_add_0' }),
      ),
      user(result('c1'), result('c2')),
      assistant(call('c3', {}, { providerCallId: 'functions.add:0' })),
      user(result('c3')),
    );
    const ids = JSON.stringify(messages).match(/(?<="(?:id|tool_use_id)":")[^"]*/g);
    expect(ids).toEqual([
      'functions_add_0',
      'functions_add_0_2',
      'functions_add_0',
      'functions_add_0_2',
      'c3',
      'c3',
    ]);
  });

  test('T11 a call of a tool that is no longer offered keeps a name that the API accepts', () => {
    const messages = messagesOf(
      go,
      assistant(call('c1', {}, { tool: 'gone.tool with spaces' })),
      user(result('c1')),
    );
    expect(messages[1]).toMatchObject({ content: [{ name: 'gone_tool_with_spaces' }] });
  });

  test('a call that a server tool made goes back with its caller, to the container that waits for it', () => {
    const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' };
    const messages = [
      go,
      assistant(
        call('c1', {}, { providerCallId: 'toolu_1' }),
        opaque({ caller: { callId: 'toolu_1', caller, container: 'container_1' } }),
      ),
      user(result('c1')),
    ];
    const body = bodyOf({ messages });
    expect(body.messages[1]?.content).toMatchObject([{ type: 'tool_use', id: 'toolu_1', caller }]);
    expect(body.container).toBe('container_1');
  });
});

describe('parts that only this API understands', () => {
  test('S-16 S-17 S-18 thinking, redacted thinking and calls go back unchanged and in order', () => {
    const redacted = { type: 'redacted_thinking', data: 'EqkECkYI+/=' };
    const [, message] = messagesOf(
      go,
      assistant(thinking('One.', 's1'), call('c1'), thinking('', 's2'), opaque(redacted), call('c2')),
      user(result('c1'), result('c2')),
    );
    expect(message?.content).toEqual([
      { type: 'thinking', thinking: 'One.', signature: 's1' },
      { type: 'tool_use', id: 'c1', name: 'board_add_card', input: {} },
      { type: 'thinking', thinking: '', signature: 's2' },
      redacted,
      { type: 'tool_use', id: 'c2', name: 'board_add_card', input: {} },
    ]);
  });

  test('S-16 thinking that another provider signed is left out; without a named signer, as in old conversations, it is sent', () => {
    const signed = (signedBy?: string): MessagePart => ({
      type: 'thinking',
      text: signedBy ?? 'unnamed',
      signature: 's',
      ...(signedBy === undefined ? {} : { signedBy }),
    });
    const parts = [signed('anthropic'), signed('google'), signed(), text('Hi.')];
    expect(messagesOf(go, assistant(...parts))[1]?.content).toEqual([
      { type: 'thinking', thinking: 'anthropic', signature: 's' },
      { type: 'thinking', thinking: 'unnamed', signature: 's' },
      sent('Hi.'),
    ]);
  });

  test('S-16 thinking without a signature is left out completely, and so is reasoning at the end of a message', () => {
    expect(
      messagesOf(
        go,
        assistant(thinking('No.'), thinking('No.', ''), text('Hi.'), thinking('Cut.', 's')),
        user(text('So?')),
      )[1]?.content,
    ).toEqual([sent('Hi.')]);
  });

  test('S-35 S-36 text goes back with its sources, split at the places where the API had split it', () => {
    const citation = { type: 'web_search_result_location', encrypted_index: 'abc' };
    const cited = opaque({ citations: { citations: [citation], textLength: 8 } });
    expect(messagesOf(go, assistant(text('So: Grüße 🌍'), cited, text(' Bye.')))[1]?.content).toEqual([
      sent('So: '),
      { ...sent('Grüße 🌍'), citations: [citation] },
      sent(' Bye.'),
    ]);
  });

  const use = (id: string) => ({ type: 'server_tool_use', id, name: 'web_search', input: {} });
  const found = (id: string) => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });
  const contentsOf = (messages: readonly Message[]) =>
    messagesOf(...messages)
      .filter(({ role }) => role === 'assistant')
      .map(({ content }) => content);

  test('S-36 server tools go back with their results', () => {
    expect(contentsOf([go, assistant(opaque(use('s1')), opaque(found('s1')), text('Found.')), go])).toEqual([
      [use('s1'), found('s1'), sent('Found.')],
    ]);
  });

  test('S-13 a server tool without its result, and a result without its tool, are left out', () => {
    expect(contentsOf([go, assistant(text('I look.'), opaque(use('s1'))), go])).toEqual([[sent('I look.')]]);
    expect(contentsOf([go, assistant(text('Found.'), opaque(found('s1'))), go])).toEqual([[sent('Found.')]]);
  });

  test('a server tool whose result the API still owes goes back, and so does the result when it has come', () => {
    const first = [go, assistant(opaque(use('s1')), call('c1')), user(result('c1'))];
    expect(contentsOf(first)[0]).toEqual([use('s1'), expect.objectContaining({ type: 'tool_use' })]);
    expect(contentsOf([...first, assistant(opaque(found('s1')), text('Found.')), go])).toEqual([
      [use('s1'), expect.objectContaining({ type: 'tool_use' })],
      [found('s1'), sent('Found.')],
    ]);
  });

  test('parts of other providers are left out', () => {
    expect(
      contentsOf([go, assistant(opaque({ type: 'x' }, 'openai'), text('Hi.'), opaque('odd')), go]),
    ).toEqual([[sent('Hi.')]]);
  });
});

describe('options', () => {
  test('add fields, but override no fields; server tools come first and keep their names', () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const body = bodyOf(
      { tools: [{ name: 'web.search', description: '', parameters: { type: 'object' } }] },
      { serverTools: [search], extraBody: { temperature: 0.2, model: 'other', stream: false, messages: [] } },
    );
    expect(body).toMatchObject({ model: 'm', temperature: 0.2, stream: true, messages: [{ role: 'user' }] });
    expect(body.tools?.[0]).toEqual(search);
    expect(body.tools?.[1]).toMatchObject({ name: expect.stringMatching(/^web_search_\w+$/) as string });
  });
});

describe('recorded requests', () => {
  const asked = recordings.filter(({ request }) => request !== null);

  test.skipIf(asked.length === 0).each(asked)(
    "$name: the recorded request equals the adapter's request",
    ({ request: recorded }) => {
      const messages = recorded!.messages.map(({ role, content }, index): Message => ({
        id: `m${index}`,
        role: role as Message['role'],
        parts:
          typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Block[]).map(toPart),
      }));
      const expected = recorded!.messages.map(({ role, content }) => ({ role, content: plain(content) }));
      expect(bodyOf({ messages }).messages).toEqual(expected);
    },
  );

  interface Block {
    readonly type: string;
    readonly [field: string]: unknown;
  }

  /** Returns a block of the API as a part of a message. */
  function toPart(block: Block): MessagePart {
    const { type, id, name, input, thinking: thought, signature, tool_use_id: callId, content } = block;
    switch (type) {
      case 'thinking':
        return { type: 'thinking', text: String(thought), signature: String(signature) };
      case 'tool_use':
        return {
          type: 'tool-call',
          id: String(id),
          tool: String(name),
          argumentsText: JSON.stringify(input),
          arguments: input as { readonly [key: string]: JsonValue },
        };
      case 'tool_result':
        return {
          type: 'tool-result',
          callId: String(callId),
          outcome: 'success',
          content: plain(content) as unknown as ToolResultPart['content'],
        };
      default:
        return { type: 'text', text: String(block['text']) };
    }
  }

  /** Returns content as blocks, without the cache marks. */
  function plain(content: unknown): Block[] {
    if (typeof content === 'string') return [{ type: 'text', text: content }];
    return (content as Block[]).map((block) => {
      const copy: Record<string, unknown> & { type: string } = { ...block };
      delete copy['cache_control'];
      if (block.type === 'tool_result') copy['content'] = plain(block['content']);
      return copy;
    });
  }
});
