import { createWireNames, isAgentSessionError, type ProviderEvent } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { MessageReader } from '../src/message-reader.js';
import {
  block,
  end,
  event,
  message,
  start,
  stop,
  textBlock,
  thinkingBlock,
  toolBlock,
} from './message-events.js';

// The reader alone: it gets events of the API and returns events of the port.

function read(stream: string): ProviderEvent[] {
  const reader = new MessageReader(createWireNames(['board.add_card']));
  const events = dataOf(stream).flatMap((data) => reader.read(data));
  return [...events, ...reader.end()].filter(({ type }) => type !== 'usage');
}

function dataOf(stream: string): unknown[] {
  return [...stream.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as unknown);
}

/** Returns the code of the error with which reading fails. */
function failure(stream: string): string {
  try {
    read(stream);
  } catch (thrown) {
    if (isAgentSessionError(thrown)) return thrown.code;
    throw thrown;
  }
  return 'none';
}

const finish = (reason: string, raw: string) => ({ type: 'finish', reason, raw });
/** A block of thinking has begun. */
const thinks = { type: 'thinking', delta: '' };
const added = { type: 'tool-call', index: 0, id: 'toolu_1', tool: 'board.add_card', delta: '' };

describe('the end', () => {
  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool-calls'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'refusal'],
    ['pause_turn', 'length'],
    ['something_new', 'unknown'],
  ])('S-11 S-13 %s is %s', (raw, reason) => {
    expect(read(message(textBlock(0, 'Hi'), raw)).at(-1)).toEqual(finish(reason, raw));
  });

  test('W8 only `message_stop` shows that the answer is complete, not a stop reason', () => {
    const whole = message(textBlock(0, 'Hi'));
    expect(read(whole.slice(0, -stop.length))).toEqual([{ type: 'text', delta: 'Hi' }]);
  });

  test('`message_stop` without a reason ends text, but no call runs', () => {
    expect(read(start() + textBlock(0, 'Hi') + stop).at(-1)).toEqual({ type: 'finish', reason: 'unknown' });
    expect(read(start() + toolBlock(0, 'toolu_1', 'board_add_card', '{}') + stop)).not.toContainEqual(
      expect.objectContaining({ type: 'finish' }),
    );
  });

  test.each([
    [{ type: 'refusal', category: 'cyber', explanation: 'It could do harm.' }, 'It could do harm.'],
    [{ type: 'refusal', category: 'bio', explanation: null }, 'Policy: bio.'],
    [{ type: 'refusal', category: 'No weapons.', explanation: null }, 'Policy: No weapons.'],
    [{ type: 'refusal', category: null, explanation: null }, undefined],
    [null, undefined],
    ['odd', undefined],
  ])('S-13 for %j, the detail of a refusal is %j', (stop_details, detail) => {
    const refused = event({ type: 'message_delta', delta: { stop_reason: 'refusal', stop_details } });
    expect(read(start() + refused + stop)).toEqual([
      { ...finish('refusal', 'refusal'), ...(detail === undefined ? {} : { detail }) },
    ]);
  });

  test('S-13 a refusal without any block is a refusal', () => {
    expect(read(message('', 'refusal'))).toEqual([finish('refusal', 'refusal')]);
  });

  test('W18 events after message_stop are ignored, even a second message', () => {
    expect(
      read(message(textBlock(0, 'Hi')) + message(textBlock(0, 'again'), 'end_turn', { id: 'msg_2' })),
    ).toEqual([{ type: 'text', delta: 'Hi' }, finish('stop', 'end_turn')]);
  });
});

describe('messages', () => {
  test('S-25 the same message_start twice is ignored', () => {
    expect(read(start() + message(textBlock(0, 'Hi')))).toEqual([
      { type: 'text', delta: 'Hi' },
      finish('stop', 'end_turn'),
    ]);
  });

  test('S-24 a second message in the middle of the first is refused', () => {
    expect(
      failure(start() + textBlock(0, 'Hi') + message(textBlock(0, 'Ho'), 'end_turn', { id: 'msg_2' })),
    ).toBe('server');
  });

  test('S-38 S-34 pings and events that do not exist yet are ignored', () => {
    const odd = event({ type: 'ping' }) + event({ type: 'message_sigh', depth: 3 });
    expect(read(odd + start() + odd + textBlock(0, 'Hi') + odd + end('end_turn'))).toEqual([
      { type: 'text', delta: 'Hi' },
      finish('stop', 'end_turn'),
    ]);
  });
});

describe('text and thinking', () => {
  test('S-23 text, thinking and signature in the first event of a block count', () => {
    const blocks =
      block(0, { type: 'thinking', thinking: 'Hm', signature: 's1' }) +
      block(1, { type: 'text', text: 'H' }, { type: 'text_delta', text: 'i' });
    expect(read(message(blocks))).toEqual([
      { type: 'thinking', delta: 'Hm' },
      { type: 'thinking', delta: '', signature: 's1' },
      { type: 'text', delta: 'H' },
      { type: 'text', delta: 'i' },
      finish('stop', 'end_turn'),
    ]);
  });

  test('S-17 a signature without text is a separate block', () => {
    expect(read(message(thinkingBlock(0, '', 'c2ln') + textBlock(1, 'Hi'))).slice(0, 2)).toEqual([
      thinks,
      { type: 'thinking', delta: '', signature: 'c2ln' },
    ]);
  });

  test('S-16 unsigned thinking is closed before signed thinking begins, so that the signature belongs to the right text', () => {
    expect(read(message(thinkingBlock(0, 'One.', '') + thinkingBlock(1, 'Two.', 'c2ln')))).toEqual([
      thinks,
      { type: 'thinking', delta: 'One.' },
      { type: 'thinking', delta: '', signature: '' },
      thinks,
      { type: 'thinking', delta: 'Two.' },
      { type: 'thinking', delta: '', signature: 'c2ln' },
      finish('stop', 'end_turn'),
    ]);
  });

  test('S-35 S-36 citations follow their text, with its length, and are not text', () => {
    const citation = {
      type: 'web_search_result_location',
      url: 'https://example.com',
      encrypted_index: 'abc',
    };
    const cited = block(
      1,
      { type: 'text', text: '' },
      { type: 'citations_delta', citation },
      { type: 'text_delta', text: 'Grüße 🌍' },
    );
    expect(read(message(textBlock(0, 'So: ') + cited))).toEqual([
      { type: 'text', delta: 'So: ' },
      { type: 'text', delta: 'Grüße 🌍' },
      { type: 'opaque', data: { citations: { citations: [citation], textLength: 8 } } },
      finish('stop', 'end_turn'),
    ]);
  });

  test('text of a block is read even if its first event was lost', () => {
    const lost = event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } });
    expect(read(start() + lost + end('end_turn'))[0]).toEqual({ type: 'text', delta: 'Hi' });
  });
});

describe('calls', () => {
  test('the arguments are the text, byte for byte', () => {
    expect(
      read(message(toolBlock(0, 'toolu_1', 'board_add_card', '', '{ "a":', '\t1.0e2 }'), 'tool_use')),
    ).toEqual([
      added,
      { type: 'tool-call', index: 0, delta: '{ "a":' },
      { type: 'tool-call', index: 0, delta: '\t1.0e2 }' },
      finish('tool-calls', 'tool_use'),
    ]);
  });

  test('T1 a call without arguments has none', () => {
    expect(read(message(toolBlock(0, 'toolu_1', 'board_add_card', ''), 'tool_use'))).toEqual([
      added,
      finish('tool-calls', 'tool_use'),
    ]);
  });

  test('S-23 T4 input in the first event counts, unless pieces follow', () => {
    const whole = { type: 'tool_use', id: 'toolu_1', name: 'board_add_card', input: { title: 'A' } };
    const args = (events: ProviderEvent[]) =>
      events.map((one) => (one.type === 'tool-call' ? one.delta : '')).join('');
    expect(args(read(message(block(0, whole), 'tool_use')))).toBe('{"title":"A"}');
    const pieces = { type: 'input_json_delta', partial_json: '{"title": "A"}' };
    expect(args(read(message(block(0, whole, pieces), 'tool_use')))).toBe('{"title": "A"}');
  });

  test('S-9 a call with the stop reason `end_turn` is still a call', () => {
    expect(read(message(toolBlock(0, 'toolu_1', 'board_add_card', '{}'), 'end_turn')).at(-1)).toEqual(
      finish('stop', 'end_turn'),
    );
  });

  test('T5 the pieces of two calls may alternate', () => {
    const open = (index: number) =>
      event({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `toolu_${index}`, name: 'board_add_card', input: {} },
      });
    const piece = (index: number, partial_json: string) =>
      event({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } });
    const close = (index: number) => event({ type: 'content_block_stop', index });
    const events = read(
      start() +
        open(0) +
        open(1) +
        piece(0, '{"a"') +
        piece(1, '{"b"') +
        piece(0, ':1}') +
        piece(1, ':2}') +
        close(0) +
        close(1) +
        end('tool_use'),
    );
    const argumentsOf = (index: number) =>
      events.map((one) => (one.type === 'tool-call' && one.index === index ? one.delta : '')).join('');
    expect([argumentsOf(0), argumentsOf(1)]).toEqual(['{"a":1}', '{"b":2}']);
  });

  test('T7 a block that comes twice is one call', () => {
    const once = toolBlock(0, 'toolu_1', 'board_add_card', '{"a":1}');
    expect(read(message(once + once, 'tool_use'))).toEqual(read(message(once, 'tool_use')));
    const begun = event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'board_add_card', input: {} },
    });
    expect(read(message(begun + once, 'tool_use'))).toEqual(read(message(once, 'tool_use')));
  });

  test('T8 S10 a call that `max_tokens` cut ends as `length`; with another reason, the answer counts as interrupted', () => {
    const cut = toolBlock(0, 'toolu_1', 'board_add_card', '{"title":').replace(
      /event: content_block_stop\n.*\n\n/,
      '',
    );
    expect(read(start() + cut + end('max_tokens')).at(-1)).toEqual(finish('length', 'max_tokens'));
    expect(failure(start() + cut + end('tool_use'))).toBe('interrupted');
  });

  test('pieces of a call without its beginning are an error', () => {
    const lost = event({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{}' },
    });
    expect(failure(start() + lost + end('tool_use'))).toBe('server');
  });
});

describe('blocks that are not interpreted', () => {
  test('S-17 redacted thinking is kept exactly', () => {
    const redacted = { type: 'redacted_thinking', data: 'EqkECkYI+/=' };
    expect(read(message(block(0, redacted)))[0]).toEqual({ type: 'opaque', data: redacted });
  });

  test('S-36 server tools and their results are kept with their input, in order, and are never calls', () => {
    const use = {
      type: 'server_tool_use',
      id: 'srvtoolu_1',
      name: 'web_search',
      input: {},
      caller: { type: 'direct' },
    };
    const result = {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'x', url: 'u' }],
    };
    const blocks =
      thinkingBlock(0, 'Search.', 'c2ln') +
      block(
        1,
        use,
        { type: 'input_json_delta', partial_json: '{"query": ' },
        { type: 'input_json_delta', partial_json: '"a"}' },
      ) +
      block(2, result) +
      textBlock(3, 'Found.');
    expect(read(message(blocks)).slice(3)).toEqual([
      { type: 'opaque', data: { ...use, input: { query: 'a' } } },
      { type: 'opaque', data: result },
      { type: 'text', delta: 'Found.' },
      finish('stop', 'end_turn'),
    ]);
  });

  test('S-34 unknown blocks with unknown pieces are kept', () => {
    const compaction = block(
      0,
      { type: 'compaction', content: null },
      { type: 'compaction_delta', content: 'In short.', encrypted_content: 'xyz' },
    );
    expect(read(message(compaction, 'compaction'))).toEqual([
      { type: 'opaque', data: { type: 'compaction', content: 'In short.', encrypted_content: 'xyz' } },
      finish('unknown', 'compaction'),
    ]);
  });

  test('S-14 when another model takes over after a refusal, the message names both', () => {
    const fallback = {
      type: 'fallback',
      from: { model: 'claude-fable-5' },
      to: { model: 'claude-opus-4-8' },
      trigger: { type: 'refusal' },
    };
    const blocks = textBlock(0, 'Well, ') + block(1, fallback) + textBlock(2, 'gladly.');
    expect(read(message(blocks))[1]).toEqual({ type: 'opaque', data: fallback });
    expect(
      failure(message(toolBlock(0, 'toolu_1', 'board_add_card', '{}') + block(1, fallback), 'end_turn')),
    ).toBe('refused');
  });

  test('S-13 T12 an incomplete block, or a block with a forbidden key, is left out', () => {
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    const cut = block(0, use).replace(/event: content_block_stop\n.*\n\n/, '');
    expect(read(start() + cut + end('refusal'))).toEqual([finish('refusal', 'refusal')]);
    const hostile = block(0, use, { type: 'input_json_delta', partial_json: '{"\\u005f_proto__":{"x":1}}' });
    expect(read(message(hostile))).toEqual([finish('stop', 'end_turn')]);
  });
});

describe('usage', () => {
  const usageOf = (...stated: object[]) => {
    const reader = new MessageReader(createWireNames([]));
    const [first, ...rest] = stated;
    reader.read({ type: 'message_start', message: { id: 'm', usage: first } });
    for (const usage of rest) reader.read({ type: 'message_delta', delta: {}, usage });
    return reader.usage;
  };

  test('S-4 the last value of each count is reported', () => {
    expect(
      usageOf({ input_tokens: 9, output_tokens: 1 }, { input_tokens: 40 }, { output_tokens: 7 }),
    ).toEqual({
      inputTokens: 40,
      outputTokens: 7,
    });
  });

  test('cached tokens are included in the input; an unknown count is absent', () => {
    expect(
      usageOf(
        { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 5, output_tokens: 1 },
        { input_tokens: null, output_tokens: 20, output_tokens_details: { thinking_tokens: 8 } },
      ),
    ).toEqual({
      inputTokens: 115,
      cachedInputTokens: 100,
      cacheWriteTokens: 5,
      outputTokens: 20,
      reasoningTokens: 8,
    });
    expect(usageOf({})).toBeNull();
  });
});
