import { createWireNames, type ProviderEvent } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { ChunkReader } from '../src/chat/chunk-reader.js';

function newReader(...tools: string[]): ChunkReader {
  const names = createWireNames(tools);
  return new ChunkReader({ names, offered: tools.map(names.toWire), server: 'https://api.example/v1' });
}

/** Returns all events of an answer that ended normally. */
function eventsOf(
  chunks: readonly unknown[],
  tools: string[] = ['board.add', 'board.move'],
): ProviderEvent[] {
  const reader = newReader(...tools);
  return [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.end(true)];
}

const delta = (fields: Record<string, unknown>, finish: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const piece = (fields: Record<string, unknown>) => delta({ tool_calls: [fields] });
const fn = (name?: unknown, args?: unknown) => ({ function: { name, arguments: args } });

/** Returns the calls of an answer, joined as the session joins them. */
function callsOf(events: readonly ProviderEvent[]): { id?: string; tool?: string; text: string }[] {
  const calls: { id?: string; tool?: string; text: string }[] = [];
  for (const event of events) {
    if (event.type !== 'tool-call') continue;
    const call = (calls[event.index] ??= { text: '' });
    if (event.id !== undefined) call.id = event.id;
    if (event.tool !== undefined) call.tool = event.tool;
    call.text += event.delta;
  }
  return calls;
}

const ofType = (events: readonly ProviderEvent[], type: ProviderEvent['type']) =>
  events.filter((event) => event.type === type);

describe('text, thinking and usage', () => {
  test('S-1 a usage chunk with empty choices is read', () => {
    expect(
      eventsOf([{ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } }]),
    ).toEqual([
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } },
      { type: 'finish', reason: 'unknown' },
    ]);
  });

  test('S-2 empty choices without usage, and malformed chunks, are ignored', () => {
    const odd = [
      { choices: [] },
      {},
      null,
      7,
      'x',
      { choices: null },
      { choices: [null] },
      delta({ content: null }),
    ];
    expect(eventsOf([...odd, { choices: [{ delta: null }] }])).toEqual([
      { type: 'finish', reason: 'unknown' },
    ]);
  });

  test('S-3 usage in every chunk and in `x_groq` is reported, without fields for unknown counts', () => {
    const usages = ofType(
      eventsOf([
        { ...delta({ content: 'a' }), usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } },
        { ...delta({ content: 'b' }), usage: null },
        { ...delta({}, 'stop'), x_groq: { usage: { prompt_tokens: 3, completion_tokens: 2 } } },
      ]),
      'usage',
    );
    expect(usages.at(-1)).toEqual({ type: 'usage', usage: { inputTokens: 3, outputTokens: 2 } });
    expect(usages).toHaveLength(2);
  });

  test('usage names cached, written and reasoning tokens, and the cost in dollars', () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 8,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 5, cache_write_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 6 },
      cost: 0.25,
    };
    expect(eventsOf([{ usage }])[0]).toEqual({
      type: 'usage',
      usage: {
        inputTokens: 9,
        outputTokens: 8,
        totalTokens: 17,
        cachedInputTokens: 5,
        cacheWriteTokens: 2,
        reasoningTokens: 6,
        cost: { amount: 0.25, currency: 'USD' },
      },
    });
  });

  test('S-5 S-7 changing ids and models and repeated or missing roles make one message', () => {
    const chunks = [
      { id: 'a', model: 'x', ...delta({ role: 'assistant', content: 'Hel' }) },
      { id: 'b', model: 'y', ...delta({ role: 'assistant', content: 'lo' }) },
      { ...delta({ content: '.' }, 'stop') },
    ];
    expect(eventsOf(chunks)).toEqual([
      { type: 'text', delta: 'Hel' },
      { type: 'text', delta: 'lo' },
      { type: 'text', delta: '.' },
      { type: 'finish', reason: 'stop', raw: 'stop' },
    ]);
  });

  test.each([
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    ['reasoning', { reasoning: 'Hm.' }],
    ['both, which say the same', { reasoning_content: 'Hm.', reasoning: 'Hm.' }],
    ['reasoning_details alone', { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }],
    ['a content part', { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }],
  ])('S-20 thinking in %s is read', (_name, fields) => {
    expect(ofType(eventsOf([delta(fields)]), 'thinking')).toEqual([{ type: 'thinking', delta: 'Hm.' }]);
  });

  test('S-20 `reasoning_details` are joined and kept for the server that wrote them', () => {
    const events = eventsOf([
      delta({
        reasoning: 'A',
        reasoning_details: [{ type: 'reasoning.text', text: 'A', index: 0, format: 'f' }],
      }),
      delta({ reasoning: 'B', reasoning_details: [{ type: 'reasoning.text', text: 'B', index: 0 }] }),
      delta({ reasoning_details: [{ type: 'reasoning.text', signature: 's', index: 0 }] }),
      delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', index: 1 }] }),
    ]);
    expect(ofType(events, 'opaque')).toEqual([
      {
        type: 'opaque',
        data: {
          api: 'chat',
          server: 'https://api.example/v1',
          reasoningDetails: [
            { type: 'reasoning.text', text: 'AB', index: 0, format: 'f', signature: 's' },
            { type: 'reasoning.encrypted', data: 'x', index: 1 },
          ],
        },
      },
    ]);
  });

  test('T12 `reasoning_details` with a key such as __proto__ are left out', () => {
    const pieces = JSON.parse(
      '[{"type":"a","index":0},{"type":"a","index":0,"__proto__":{"x":1}}]',
    ) as unknown;
    const first = JSON.parse('[{"type":"b","__proto__":{"x":1}}]') as unknown;
    const opaque = (details: unknown) => ofType(eventsOf([delta({ reasoning_details: details })]), 'opaque');
    expect(opaque(pieces)).toHaveLength(1);
    expect(JSON.stringify(opaque(pieces))).not.toContain('__proto__');
    expect(opaque(first)).toEqual([]);
  });

  test('S-21 S-39 content as a list of parts: text is joined, other parts are left out', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'reference', reference_ids: [1] },
      { type: 'text', text: 'b' },
    ];
    expect(ofType(eventsOf([delta({ content })]), 'text')).toEqual([
      { type: 'text', delta: 'a' },
      { type: 'text', delta: 'b' },
    ]);
  });

  test('S-22 a cumulative message beside the delta is not read', () => {
    const choices = [{ index: 0, delta: { content: 'b' }, message: { content: 'ab' } }];
    expect(ofType(eventsOf([{ choices }]), 'text')).toEqual([{ type: 'text', delta: 'b' }]);
  });

  test('S-33 of several choices, only the choice with index 0 is read, at any position', () => {
    const choices = [
      { index: 1, delta: { content: 'no' }, finish_reason: 'length' },
      { index: 0, delta: { content: 'yes' } },
    ];
    expect(eventsOf([{ choices }, delta({}, 'stop')])).toEqual([
      { type: 'text', delta: 'yes' },
      { type: 'finish', reason: 'stop', raw: 'stop' },
    ]);
  });

  test('W16 odd characters pass unchanged', () => {
    const odd = '\u0000\ud800‮é' + '̀'.repeat(1000);
    expect(eventsOf([delta({ content: odd })])[0]).toEqual({ type: 'text', delta: odd });
  });
});

describe('the end', () => {
  test.each([
    ['stop', 'stop'],
    ['tool_calls', 'tool-calls'],
    ['function_call', 'tool-calls'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'content-filter'],
    ['eos', 'unknown'],
    ['constructor', 'unknown'],
    ['__proto__', 'unknown'],
  ])('finish_reason %s is %s, and the original is kept', (raw, reason) => {
    expect(eventsOf([delta({}, raw)])).toEqual([{ type: 'finish', reason, raw }]);
  });

  test('S-8 the first finish_reason that is not empty counts', () => {
    const events = eventsOf([delta({ content: 'a' }, ''), delta({}, 'length'), delta({}, 'stop')]);
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'length', raw: 'length' });
  });

  test('S-8 text after the finish_reason is still text, and finish comes last', () => {
    const types = eventsOf([delta({ content: 'a' }, 'stop'), delta({ content: 'b' }, 'stop')]).map(
      (e) => e.type,
    );
    expect(types).toEqual(['text', 'text', 'finish']);
  });

  test('S-8 without a finish_reason, only [DONE] ends the answer, for an unknown reason', () => {
    const reader = newReader();
    reader.read(delta({ content: 'a' }));
    expect(reader.end(false)).toEqual([]);
    expect(reader.end(true)).toEqual([{ type: 'finish', reason: 'unknown' }]);
  });

  test('S-9 S-10 the reason is passed on unchanged, with and without calls', () => {
    const calls = eventsOf([piece({ index: 0, id: 'a', ...fn('board_add', '{}') }), delta({}, 'stop')]);
    expect(calls.at(-1)).toEqual({ type: 'finish', reason: 'stop', raw: 'stop' });
    expect(eventsOf([delta({}, 'tool_calls')])).toEqual([
      { type: 'finish', reason: 'tool-calls', raw: 'tool_calls' },
    ]);
  });

  test.each([
    ['error', 'server'],
    ['insufficient_system_resource', 'overloaded'],
  ])('S-11 finish_reason %s is the error %s', (raw, code) => {
    expect(() => eventsOf([delta({ content: 'a' }, raw)])).toThrowError(
      expect.objectContaining({ code, details: { finishReason: raw } }),
    );
  });

  test('S-12 the reason `length` without any text ends as `length`', () => {
    expect(eventsOf([delta({ content: '' }), delta({}, 'length')])).toEqual([
      { type: 'finish', reason: 'length', raw: 'length' },
    ]);
  });

  test('S-13 a refusal is text, and ends as a refusal with any finish_reason; an empty refusal is ignored', () => {
    expect(eventsOf([delta({ refusal: 'I am ' }), delta({ refusal: 'sorry.' }), delta({}, 'stop')])).toEqual([
      { type: 'text', delta: 'I am ', refusal: true },
      { type: 'text', delta: 'sorry.', refusal: true },
      { type: 'finish', reason: 'refusal', raw: 'stop' },
    ]);
    expect(eventsOf([delta({ refusal: '', content: 'Yes.' }, 'stop')]).at(-1)).toMatchObject({
      reason: 'stop',
    });
  });
});

describe('tool calls', () => {
  test('a call is announced as soon as its name is known', () => {
    const reader = newReader('board.add');
    expect(reader.read(piece({ index: 0, id: 'a', ...fn('board_add', '') }))).toEqual([
      { type: 'tool-call', index: 0, id: 'a', tool: 'board.add', delta: '' },
    ]);
    expect(reader.read(piece({ index: 0, ...fn(undefined, '{"x"') }))).toEqual([
      { type: 'tool-call', index: 0, delta: '{"x"' },
    ]);
  });

  test('T1 empty arguments are accepted', () => {
    expect(
      callsOf(
        eventsOf([
          piece({ index: 0, id: 'a', ...fn('board_add', '') }),
          piece({ index: 0, ...fn(null, '') }),
        ]),
      ),
    ).toEqual([{ id: 'a', tool: 'board.add', text: '' }]);
  });

  test.each([
    ['no index', [undefined, undefined]],
    ['all index 0', [0, 0]],
    ['first index 1', [1, 2]],
    ['index jumps', [7, 3]],
  ])('T2 %s: two calls, in order of arrival', (_name, [first, second]) => {
    const events = eventsOf([
      piece({ index: first, id: 'a', ...fn('board_add', '{"a":1}') }),
      piece({ index: second, id: 'b', ...fn('board_move', '{"b":2}') }),
    ]);
    expect(callsOf(events)).toEqual([
      { id: 'a', tool: 'board.add', text: '{"a":1}' },
      { id: 'b', tool: 'board.move', text: '{"b":2}' },
    ]);
  });

  test.each([
    ['no index', undefined],
    ['all index 0', 0],
  ])('T2 no ids and %s: whole calls of the same tool stay apart', (_name, index) => {
    const events = eventsOf([
      piece({ index, ...fn('board_add', '{"a":1}') }),
      piece({ index, ...fn('board_add', '{"a":2}') }),
    ]);
    expect(callsOf(events).map((call) => call.text)).toEqual(['{"a":1}', '{"a":2}']);
  });

  test('T2 pieces without index and id belong to the previous call', () => {
    const events = eventsOf([
      piece({ id: 'a', ...fn('board_add', '{"a"') }),
      piece(fn(undefined, ':1}')),
      piece({ id: 'b', ...fn('board_add', '{}') }),
    ]);
    expect(callsOf(events).map((call) => call.text)).toEqual(['{"a":1}', '{}']);
  });

  test.each([
    ['id repeated', { index: 0, id: 'a' }, undefined],
    ['id empty', { index: 0, id: '' }, undefined],
    ['id rolled anew', { index: 0, id: 'zzz' }, undefined],
    ['name repeated', { index: 0 }, 'board_add'],
    ['name empty', { index: 0 }, ''],
    ['id and name repeated', { index: 0, id: 'a' }, 'board_add'],
  ])('T3 %s on later deltas: the same call', (_name, fields, name) => {
    const events = eventsOf([
      piece({ index: 0, id: 'a', ...fn('board_add', '{"a":') }),
      piece({ ...fields, ...fn(name, '{"a":') }),
      piece({ ...fields, ...fn(name, '1}}') }),
    ]);
    expect(callsOf(events)).toEqual([{ id: 'a', tool: 'board.add', text: '{"a":{"a":1}}' }]);
  });

  test('T3 a name may arrive in pieces, even if a piece is the name of another tool', () => {
    const events = eventsOf(
      [
        piece({ index: 0, id: 'a', ...fn('get', '') }),
        piece({ index: 0, ...fn('_weather', '') }),
        piece({ index: 0, ...fn(undefined, '{}') }),
      ],
      ['get', 'get_weather'],
    );
    expect(callsOf(events)).toEqual([{ id: 'a', tool: 'get_weather', text: '{}' }]);
  });

  test('T3 a late id is still emitted', () => {
    const events = eventsOf([
      piece({ index: 0, ...fn('board_add', '{') }),
      piece({ index: 0, id: 'a', ...fn(undefined, '}') }),
    ]);
    expect(callsOf(events)).toEqual([{ id: 'a', tool: 'board.add', text: '{}' }]);
  });

  test.each([
    ['null', null, ''],
    ['an object', { a: 1 }, '{"a":1}'],
    ['a number', 5, ''],
  ])('T3 arguments that are %s are read', (_name, args, expected) => {
    expect(callsOf(eventsOf([piece({ index: 0, id: 'a', ...fn('board_add', args) })]))[0]?.text).toBe(
      expected,
    );
  });

  test('T3 a piece without a function, or an empty piece, is ignored', () => {
    const events = eventsOf([
      piece({ index: 0, id: 'a' }),
      piece({ index: 0, ...fn('board_add', '{}') }),
      delta({ tool_calls: [null] }),
    ]);
    expect(callsOf(events)).toEqual([{ id: 'a', tool: 'board.add', text: '{}' }]);
  });

  test('T3 a call without a name is a call of an unknown tool', () => {
    expect(callsOf(eventsOf([piece({ index: 0, id: 'a', ...fn(undefined, '{}') })]))).toEqual([
      { id: 'a', tool: 'unnamed', text: '{}' },
    ]);
  });

  test('T4 two whole calls in one chunk are read', () => {
    const chunk = delta(
      {
        tool_calls: [
          { index: 0, id: 'a', ...fn('board_add', '{"a":1}') },
          { index: 1, id: 'b', ...fn('board_move', '{"b":2}') },
        ],
      },
      'tool_calls',
    );
    expect(callsOf(eventsOf([chunk])).map((call) => call.tool)).toEqual(['board.add', 'board.move']);
  });

  test('T5 interleaved pieces of two calls are separated', () => {
    const events = eventsOf([
      piece({ index: 0, id: 'a', ...fn('board_add', '{"a"') }),
      piece({ index: 1, id: 'b', ...fn('board_move', '{"b"') }),
      piece({ index: 0, ...fn(undefined, ':1}') }),
      piece({ index: 1, ...fn(undefined, ':2}') }),
    ]);
    expect(callsOf(events).map((call) => call.text)).toEqual(['{"a":1}', '{"b":2}']);
  });

  test('T7 a call that is sent twice is one call: whole', () => {
    const whole = piece({ index: 0, id: 'a', ...fn('board_add', '{"a":1}') });
    expect(callsOf(eventsOf([whole, whole, whole]))).toEqual([
      { id: 'a', tool: 'board.add', text: '{"a":1}' },
    ]);
  });

  test('T7 a call that is sent twice is one call: in pieces', () => {
    const pieces = [
      piece({ index: 0, id: 'a', ...fn('board_add', '') }),
      piece({ index: 0, ...fn(undefined, '{"a"') }),
      piece({ index: 0, ...fn(undefined, ':1}') }),
    ];
    expect(callsOf(eventsOf([...pieces, ...pieces]))).toEqual([
      { id: 'a', tool: 'board.add', text: '{"a":1}' },
    ]);
  });

  test('T7 two calls that share an id but not an index are two calls', () => {
    const events = eventsOf([
      piece({ index: 0, id: 'same', ...fn('board_add', '{"a":1}') }),
      piece({ index: 1, id: 'same', ...fn('board_add', '{"a":2}') }),
    ]);
    expect(callsOf(events).map((call) => call.text)).toEqual(['{"a":1}', '{"a":2}']);
  });

  test('T11 an unknown tool name is not changed', () => {
    expect(
      callsOf(eventsOf([piece({ index: 0, id: 'a', ...fn('multi_tool_use.parallel', '{}') })]))[0]?.tool,
    ).toBe('multi_tool_use.parallel');
  });
});
