import { createWireNames, type ProviderEvent } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { EventReader } from '../src/responses/event-reader.js';

const server = 'https://api.example/v1';

function newReader(): EventReader {
  return new EventReader({ names: createWireNames(['board.add', 'board.list']), server, model: 'm' });
}

/** All events of a response. */
function eventsOf(...events: readonly unknown[]): ProviderEvent[] {
  const reader = newReader();
  return [...events.flatMap((event) => reader.read(event)), ...reader.end()];
}

const added = (item: object, output_index = 0) => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (item: object, output_index = 0) => ({ type: 'response.output_item.done', output_index, item });
const text = (delta: string, output_index = 0) => ({
  type: 'response.output_text.delta',
  output_index,
  delta,
});
const args = (delta: string, output_index = 0) => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta,
});
const call = (fields: object = {}) => ({
  type: 'function_call',
  call_id: 'c',
  name: 'board_add',
  arguments: '',
  ...fields,
});
const completed = (response: object = {}) => ({
  type: 'response.completed',
  response: { status: 'completed', ...response },
});
const stored = (item: object) => ({ type: 'opaque', data: { api: 'responses', server, model: 'm', item } });
const finish = (reason: string, raw = 'completed') => ({ type: 'finish', reason, raw });

/** Returns the calls of an answer, joined as the session joins them. */
function callsOf(events: readonly ProviderEvent[]): { id?: string; tool?: string; text: string }[] {
  const calls: { id?: string; tool?: string; text: string }[] = [];
  for (const event of events) {
    if (event.type !== 'tool-call') continue;
    const known = (calls[event.index] ??= { text: '' });
    if (event.id !== undefined) known.id = event.id;
    if (event.tool !== undefined) known.tool = event.tool;
    known.text += event.delta;
  }
  return calls;
}

describe('the end', () => {
  test('W8 without the last event of the response there is no finish, and [DONE] does not count', () => {
    expect(eventsOf(text('Hi'), done({ type: 'message' }))).toEqual([{ type: 'text', delta: 'Hi' }]);
  });

  test.each([
    [{ type: 'response.completed' }, finish('stop')],
    [
      { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } },
      finish('length', 'max_output_tokens'),
    ],
    [
      { type: 'response.incomplete', response: { incomplete_details: { reason: 'content_filter' } } },
      finish('content-filter', 'content_filter'),
    ],
    [{ type: 'response.incomplete', response: { status: 'incomplete' } }, finish('unknown', 'incomplete')],
  ])('%j', (event, expected) => {
    expect(eventsOf(event)).toEqual([expected]);
  });

  test('W18 S-26 nothing after the end counts, not even another response', () => {
    const again = [{ type: 'response.created' }, text('again'), completed()];
    expect(eventsOf(text('Hi'), completed(), ...again)).toEqual([
      { type: 'text', delta: 'Hi' },
      finish('stop'),
    ]);
  });

  test('S-26 a response that begins in the middle of another is refused, never merged', () => {
    const reader = newReader();
    reader.read({ type: 'response.created' });
    reader.read({ type: 'response.created' }); // No answer has arrived yet.
    reader.read(text('Hi'));
    expect(() => reader.read({ type: 'response.created' })).toThrowError(
      expect.objectContaining({ code: 'interrupted' }),
    );
  });

  test('a failure throws the server’s error, after the usage', () => {
    const reader = newReader();
    const error = { code: 'server_error', message: 'Oops' };
    const response = { status: 'failed', error, usage: { input_tokens: 3 } };
    expect(reader.read({ type: 'response.failed', response })).toEqual([
      { type: 'usage', usage: { inputTokens: 3 } },
    ]);
    expect(reader.rawFinishReason).toBe('failed');
    expect(() => reader.end()).toThrowError(expect.objectContaining({ error }));
  });

  test('an error event may have its fields without an `error` object', () => {
    const reader = newReader();
    reader.read({ type: 'error', code: 'rate_limit_exceeded', message: 'Slow down' });
    expect(() => reader.end()).toThrowError(
      expect.objectContaining({
        error: expect.objectContaining({ code: 'rate_limit_exceeded' }) as object,
      }),
    );
  });
});

describe('text and thinking', () => {
  test('S-31 an event with a repeated sequence number is ignored; gaps are allowed', () => {
    const hi = { ...text('Hi'), sequence_number: 4 };
    const there = { ...text(' there'), sequence_number: 9 };
    expect(eventsOf(hi, hi, there, hi, completed())).toEqual([
      { type: 'text', delta: 'Hi' },
      { type: 'text', delta: ' there' },
      finish('stop'),
    ]);
  });

  test('S-31 if the server does not count, no event is taken for a repetition', () => {
    const numbered = [{ type: 'response.created' }, text('ha'), text('ha'), completed()].map((event) => ({
      ...event,
      sequence_number: 0,
    }));
    expect(eventsOf(...numbered).filter((event) => event.type === 'text')).toHaveLength(2);
  });

  test('S-32 a response may begin anywhere', () => {
    expect(eventsOf({ type: 'response.queued' }, text('4'), completed())).toHaveLength(2);
  });

  test('text that was not streamed, or not to its end, is completed', () => {
    const message = { type: 'message', content: [{ type: 'output_text', text: 'Hello.' }] };
    const spoken = (...events: unknown[]) =>
      eventsOf(...events)
        .flatMap((event) => (event.type === 'text' ? event.delta : []))
        .join('');
    expect(spoken(done(message), completed())).toBe('Hello.');
    expect(spoken(text('Hel'), done(message), completed())).toBe('Hello.');
    expect(spoken(completed({ output: [message] }))).toBe('Hello.');
    expect(spoken(text('Hello.'), done(message), completed({ output: [message] }))).toBe('Hello.');
    expect(spoken(text('Hello.', 1), done(message, 1), completed({ output: [message] }))).toBe('Hello.');
    // If the two contradict each other, the text that the user saw stays.
    expect(spoken(text('Hi'), done(message), completed())).toBe('Hi');
  });

  test('S-20 summaries and raw reasoning are thinking; the item is stored before the item that it led to', () => {
    const reasoning = { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }] };
    const thinking = (type: string) => ({ type: `response.${type}.delta`, output_index: 0, delta: 'Hm.' });
    for (const type of ['reasoning_summary_text', 'reasoning_text']) {
      expect(
        eventsOf(added({ type: 'reasoning' }), thinking(type), done(reasoning), text('Hi', 1), completed()),
      ).toEqual([
        { type: 'thinking', delta: '' },
        { type: 'thinking', delta: 'Hm.' },
        stored(reasoning),
        { type: 'text', delta: 'Hi' },
        finish('stop'),
      ]);
    }
    expect(eventsOf(done(reasoning), completed())[0]).toEqual({ type: 'thinking', delta: 'Hm.' });
  });

  test('the beginning of reasoning is one thinking event without text', () => {
    const reasoning = { type: 'reasoning', id: 'rs' };
    expect(eventsOf(added(reasoning), added(reasoning), text('Hi', 1), completed()).slice(0, 2)).toEqual([
      { type: 'thinking', delta: '' },
      { type: 'text', delta: 'Hi' },
    ]);
  });

  test('S-19 reasoning that arrives after the item that it led to is not stored', () => {
    const reasoning = { type: 'reasoning', encrypted_content: 'x' };
    expect(eventsOf(added({ type: 'reasoning' }), text('Hi', 1), done(reasoning), completed())).toEqual([
      { type: 'thinking', delta: '' },
      { type: 'text', delta: 'Hi' },
      finish('stop'),
    ]);
  });

  test('S-13 a refusal is text, and the answer ends as a refusal', () => {
    const refusal = { type: 'response.refusal.delta', output_index: 0, delta: 'No.' };
    const message = { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] };
    const expected = [{ type: 'text', delta: 'No.', refusal: true }, finish('refusal')];
    expect(eventsOf(refusal, done(message), completed())).toEqual(expected);
    expect(eventsOf(done(message), completed())).toEqual(expected);
  });

  test('S-35 annotations do not change the text', () => {
    const annotation = { type: 'response.output_text.annotation.added', annotation: { text: 'x' } };
    expect(eventsOf(text('Hi'), annotation, completed())).toHaveLength(2);
  });

  test('S-3 the last usage is reported; an unknown count has no field', () => {
    const usage = {
      input_tokens: 9,
      output_tokens: 8,
      total_tokens: 17,
      input_tokens_details: { cached_tokens: 5 },
      output_tokens_details: { reasoning_tokens: 3 },
    };
    expect(eventsOf(completed({ usage }))[0]).toEqual({
      type: 'usage',
      usage: {
        inputTokens: 9,
        outputTokens: 8,
        totalTokens: 17,
        cachedInputTokens: 5,
        reasoningTokens: 3,
      },
    });
  });
});

describe('calls', () => {
  test('are announced as soon as they have a name, piece by piece', () => {
    const reader = newReader();
    expect(reader.read(added(call()))).toEqual([
      { type: 'tool-call', index: 0, id: 'c', tool: 'board.add', delta: '' },
    ]);
    expect(reader.read(args('{"x"'))).toEqual([{ type: 'tool-call', index: 0, delta: '{"x"' }]);
  });

  test.each([
    ['only in done', [{ type: 'response.function_call_arguments.done', arguments: '{"x":1}' }]],
    ['only in the finished item', [done(call({ arguments: '{"x":1}' }))]],
    ['only in the response', [completed({ output: [call({ arguments: '{"x":1}' })] })]],
    ['as an object', [done(call({ arguments: { x: 1 } }))]],
    [
      'streamed, and in all of them',
      [
        args('{"x"'),
        args(':1}'),
        { type: 'response.function_call_arguments.done', arguments: '{"x":1}' },
        done(call({ arguments: '{"x":1}' })),
        completed({ output: [call({ arguments: '{"x":1}' })] }),
      ],
    ],
    ['streamed in part', [args('{"x"'), done(call({ arguments: '{"x":1}' }))]],
    ['streamed with other spaces', [args('{"x":1}'), done(call({ arguments: '{ "x": 1 }' }))]],
  ])('T4 read arguments %s', (_name, events) => {
    const calls = callsOf(eventsOf(added(call()), ...events, completed()));
    expect(calls).toEqual([{ id: 'c', tool: 'board.add', text: '{"x":1}' }]);
  });

  test('T4 read arguments from the announcement', () => {
    expect(callsOf(eventsOf(added(call({ arguments: '{"x":1}' })), completed()))).toMatchObject([
      { text: '{"x":1}' },
    ]);
  });

  test('T1 may have no arguments', () => {
    expect(callsOf(eventsOf(added(call()), args(''), done(call()), completed()))).toMatchObject([
      { text: '' },
    ]);
  });

  test('fail the answer if the repeated arguments differ from the streamed arguments', () => {
    const reader = newReader();
    reader.read(added(call()));
    reader.read(args('{"title":"Pl"}'));
    expect(() => reader.read(done(call({ arguments: '{"title":"Plan"}' })))).toThrowError(
      expect.objectContaining({ code: 'server' }),
    );
  });

  test('T5 are separated if they are interleaved', () => {
    expect(
      callsOf(
        eventsOf(
          added(call()),
          added(call({ call_id: 'd', name: 'board_list' }), 1),
          args('{"a"'),
          args('{"b"', 1),
          args(':1}'),
          args(':2}', 1),
          completed(),
        ),
      ),
    ).toEqual([
      { id: 'c', tool: 'board.add', text: '{"a":1}' },
      { id: 'd', tool: 'board.list', text: '{"b":2}' },
    ]);
  });

  test('T2 stay two calls even if both have the index 0', () => {
    const other = call({ call_id: 'd', arguments: '{"b":2}' });
    expect(
      callsOf(
        eventsOf(
          added(call()),
          args('{"a":1}'),
          done(call({ arguments: '{"a":1}' })),
          added(call({ call_id: 'd' })),
          args('{"b":2}'),
          done(other),
          completed({ output: [call({ arguments: '{"a":1}' }), other] }),
        ),
      ).map(({ id, text: given }) => [id, given]),
    ).toEqual([
      ['c', '{"a":1}'],
      ['d', '{"b":2}'],
    ]);
  });

  test('stay one call if the call is completed twice, or is at another place in the response', () => {
    const whole = call({ arguments: '{"a":1}' });
    const events = eventsOf(
      done({ type: 'reasoning', summary: [] }),
      done(whole, 1),
      done(whole, 1),
      completed({ output: [whole] }),
    );
    expect(callsOf(events)).toHaveLength(1);
  });

  test('S-6 may have ids that change with every event', () => {
    const ids = [1, 2, 3].map((n) => ({ id: `fc_${n}` }));
    expect(
      callsOf(
        eventsOf(
          added(call(ids[0])),
          { ...args('{}'), item_id: 'other' },
          done(call({ ...ids[1], arguments: '{}' })),
          completed({ output: [call({ ...ids[2], arguments: '{}' })] }),
        ),
      ),
    ).toEqual([{ id: 'c', tool: 'board.add', text: '{}' }]);
  });

  test('T11 a call without a name is a call of an unknown tool', () => {
    expect(callsOf(eventsOf(args('{}'), completed()))).toEqual([{ tool: 'unnamed', text: '{}' }]);
  });

  test('include custom calls with text input, whose item is kept', () => {
    const custom = { type: 'custom_tool_call', call_id: 'c', name: 'sql', input: 'SELECT 1' };
    const delta = { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'SELECT ' };
    const events = eventsOf(added({ ...custom, input: '' }), delta, done(custom), completed());
    expect(callsOf(events)).toEqual([{ id: 'c', tool: 'sql', text: 'SELECT 1' }]);
    expect(events).toContainEqual(stored(custom));
  });
});

describe('items of the server', () => {
  const search = { type: 'web_search_call', id: 'ws', status: 'completed', action: {} };

  test.each([search, { type: 'never_heard_of', x: [1] }])('S-34 S-36 %j is kept unchanged', (item) => {
    expect(eventsOf(added({ type: item.type }), done(item), completed({ output: [item] }))).toEqual([
      stored(item),
      finish('stop'),
    ]);
  });

  const approval = {
    type: 'mcp_approval_request',
    id: 'mcpr_1',
    name: 'create_short_url',
    server_label: 'zip1',
    arguments: '{"url":"https://app.example/"}',
  };

  const asks = (index = 0) => ({
    type: 'tool-call',
    index,
    id: 'mcpr_1',
    tool: 'zip1.create_short_url',
    hosted: true,
    delta: '{"url":"https://app.example/"}',
  });

  test('S-37 a request for an approval is a call of the hosted tool, after its item', () => {
    expect(
      eventsOf(added({ type: approval.type }), done(approval), completed({ output: [approval] })),
    ).toEqual([stored(approval), asks(), finish('tool-calls')]);
  });

  test('S-37 a request for an approval keeps its place among the calls', () => {
    const whole = call({ arguments: '{}' });
    const events = eventsOf(done(whole), done(approval, 1), completed());
    expect(events.slice(-3)).toEqual([stored(approval), asks(1), finish('tool-calls')]);
  });

  test('S-30 an item that is never completed is kept as in the response, or else as announced', () => {
    expect(eventsOf(added({ ...search, status: 'searching' }), completed({ output: [search] }))).toEqual([
      stored(search),
      finish('stop'),
    ]);
    const begun = { ...search, status: 'searching' };
    expect(eventsOf(added(begun), completed())).toEqual([stored(begun), finish('stop')]);
  });

  test('an item that cannot be stored is left out', () => {
    const item = JSON.parse('{"type":"odd","x":{"__proto__":{"y":1}}}') as object;
    expect(eventsOf(done(item), completed())).toEqual([finish('stop')]);
  });

  test('malformed events are ignored', () => {
    const odd = [null, 7, 'x', {}, { type: 7 }, { type: 'response.output_item.done' }, { type: 'ping' }];
    expect(eventsOf(...odd, completed()).at(-1)).toEqual(finish('stop'));
  });
});
