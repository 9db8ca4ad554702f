import { createWireNames, type ProviderEvent } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { ChunkReader } from '../src/chat/chunk-reader.js';
import { EventReader } from '../src/responses/event-reader.js';

// One call in pieces is one call, no matter how the server numbers its pieces. Two calls stay two.

const names = createWireNames(['board.add', 'board.move', 'board.list']);
const server = 'https://api.example/v1';

type Called = readonly (readonly [tool: string, argumentsText: string])[];

/**
 * Returns the calls in the events, joined as the session joins them. Refuses pieces in an order that the
 * session refuses.
 */
function callsOf(events: readonly ProviderEvent[]): Called {
  const calls: [string, string][] = [];
  for (const event of events) {
    if (event.type !== 'tool-call') continue;
    const known = calls[event.index];
    if (known) known[1] += event.delta;
    else {
      expect(event.index).toBe(calls.length);
      calls.push([event.tool ?? '', event.delta]);
    }
  }
  return calls;
}

describe('Chat Completions', () => {
  /** A piece: index, id, name, arguments. An undefined field is not sent. */
  type Piece = readonly [
    index: number | undefined,
    id: string | null | undefined,
    name?: string,
    text?: string,
  ];

  function read(pieces: readonly Piece[]): Called {
    const offered = ['board.add', 'board.move', 'board.list'].map(names.toWire);
    const reader = new ChunkReader({ names, offered, server });
    const events = pieces.flatMap(([index, id, name, text]) => {
      const piece = { index, id, function: { name, arguments: text } };
      return reader.read({ choices: [{ index: 0, delta: { tool_calls: [piece] } }] });
    });
    events.push(...reader.read({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }));
    return callsOf([...events, ...reader.end(true)]);
  }

  const one: Called = [['board.add', '{"title":"x"}']];
  const ab: Called = [
    ['board.add', '{"title":"a"}'],
    ['board.add', '{"title":"b"}'],
  ];
  const add = 'board_add';
  const x = '{"title":"x"}';
  const a = '{"title":"a"}';
  const b = '{"title":"b"}';

  test.each<[string, Piece[]]>([
    [
      'announced at index 0, whole at index 1',
      [
        [0, 'c', add, ''],
        [1, 'c', add, x],
      ],
    ],
    [
      'announced at index 0, whole at index 1 without its name',
      [
        [0, 'c', add, ''],
        [1, 'c', undefined, x],
      ],
    ],
    [
      'announced with an empty object, whole at index 1',
      [
        [0, 'c', add, '{}'],
        [1, 'c', add, x],
      ],
    ],
    [
      'announced with an empty object, whole at the same index',
      [
        [0, 'c', add, '{}'],
        [0, null, undefined, x],
      ],
    ],
    [
      'announced with an empty object, pieces behind it',
      [
        [0, 'c', add, '{}'],
        [0, null, undefined, '{"title"'],
        [0, null, undefined, ':"x"}'],
      ],
    ],
    [
      'as far as it is, at an index of its own each time',
      [
        [0, 'c', add, '{"ti'],
        [1, 'c', add, '{"title":'],
        [2, 'c', add, x],
      ],
    ],
    [
      'as far as it is, at one index, with id and name',
      [
        [0, 'c', add, '{"ti'],
        [0, 'c', add, '{"title":'],
        [0, 'c', add, x],
      ],
    ],
    [
      'as far as it is, at one index, without id and name',
      [
        [0, 'c', add, '{"ti'],
        [0, null, undefined, '{"title":'],
        [0, null, undefined, x],
      ],
    ],
    [
      'as far as it is, without any index',
      [
        [undefined, 'c', add, '{"ti'],
        [undefined, 'c', add, '{"title":'],
        [undefined, 'c', add, x],
      ],
    ],
    [
      'in pieces at an index of its own each, with its id',
      [
        [0, 'c', add, ''],
        [1, 'c', undefined, '{"title"'],
        [2, 'c', undefined, ':"x"}'],
      ],
    ],
    [
      'in pieces at an index of its own each, with id and name',
      [
        [0, 'c', add, '{"title"'],
        [1, 'c', add, ':"x'],
        [2, 'c', add, '"}'],
      ],
    ],
    [
      'its name at index 0, its arguments at index 1 with a null id',
      [
        [0, 'c', add, ''],
        [1, null, undefined, x],
      ],
    ],
    [
      'its name at index 0, its arguments in pieces at index 1',
      [
        [0, 'c', add, ''],
        [1, null, undefined, '{"title"'],
        [1, null, undefined, ':"x"}'],
      ],
    ],
    [
      'its name at index 0, its arguments at later indexes',
      [
        [0, 'c', add, ''],
        [1, null, undefined, '{"title"'],
        [2, null, undefined, ':"x"}'],
      ],
    ],
    [
      'its name at index 0, its arguments at index 1 with another id',
      [
        [0, 'c', add, ''],
        [1, 'd', undefined, x],
      ],
    ],
    [
      'its name without an id at index 0, its arguments at index 1',
      [
        [0, undefined, add],
        [1, undefined, undefined, x],
      ],
    ],
    [
      'whole at two indexes',
      [
        [0, 'c', add, x],
        [1, 'c', add, x],
      ],
    ],
    [
      'whole at two indexes, written differently',
      [
        [0, 'c', add, x],
        [1, 'c', add, '{ "title": "x" }'],
      ],
    ],
    [
      'in pieces at two indexes',
      [
        [0, 'c', add, ''],
        [0, null, undefined, x],
        [1, 'c', add, ''],
        [1, null, undefined, '{"ti'],
        [1, null, undefined, 'tle":"x"}'],
      ],
    ],
    [
      'whole behind its pieces, at the same index',
      [
        [0, 'c', add, ''],
        [0, null, undefined, '{"title"'],
        [0, null, undefined, ':"x"}'],
        [0, null, undefined, x],
      ],
    ],
    [
      'whole behind its pieces, without an index',
      [
        [0, 'c', add, '{"title"'],
        [0, null, undefined, ':"x"}'],
        [undefined, 'c', add, x],
      ],
    ],
    [
      'whole, and an empty piece at index 1',
      [
        [0, 'c', add, x],
        [1, 'c', add, ''],
        [1, null, undefined, ''],
      ],
    ],
    [
      'whole, repeated, and an empty piece behind',
      [
        [0, 'c', add, x],
        [1, 'c', add, x],
        [1, null, undefined, ''],
      ],
    ],
    [
      'whole, and a repetition that was cut',
      [
        [0, 'c', add, x],
        [1, 'c', add, '{"tit'],
      ],
    ],
    [
      'its arguments before its name',
      [
        [0, 'c', undefined, '{"title"'],
        [0, 'c', add, ':"x"}'],
      ],
    ],
  ])('audit-R1 one call is one call: %s', (_name, pieces) => {
    expect(read(pieces)).toEqual(one);
  });

  test.each<[string, Piece[]]>([
    [
      'whole, at two indexes',
      [
        [0, 'c', add, a],
        [1, 'c', add, b],
      ],
    ],
    [
      'whole, at one index',
      [
        [0, 'c', add, a],
        [0, 'c', add, b],
      ],
    ],
    [
      'whole, without an index',
      [
        [undefined, 'c', add, a],
        [undefined, 'c', add, b],
      ],
    ],
    [
      'in pieces, one behind the other',
      [
        [0, 'c', add, ''],
        [0, null, undefined, a],
        [1, 'c', add, ''],
        [1, null, undefined, '{"title":'],
        [1, null, undefined, '"b"}'],
      ],
    ],
    [
      'in pieces, at one index',
      [
        [0, 'c', add, '{"title":'],
        [0, null, undefined, '"a"}'],
        [0, 'c', add, '{"title":'],
        [0, null, undefined, '"b"}'],
      ],
    ],
    [
      'in pieces that take turns',
      [
        [0, 'c', add, ''],
        [1, 'c', add, ''],
        [0, null, undefined, '{"title":'],
        [1, null, undefined, '{"title":'],
        [0, null, undefined, '"a"}'],
        [1, null, undefined, '"b"}'],
      ],
    ],
    [
      'announced together, each whole',
      [
        [0, 'c', add, ''],
        [1, 'c', add, ''],
        [0, null, undefined, a],
        [1, null, undefined, b],
      ],
    ],
    [
      'sent twice',
      [
        [0, 'c', add, a],
        [1, 'c', add, b],
        [0, 'c', add, a],
        [1, 'c', add, b],
      ],
    ],
    [
      'each with its name and its arguments at indexes of their own',
      [
        [0, 'c', add, ''],
        [1, null, undefined, a],
        [2, 'd', add, ''],
        [3, null, undefined, b],
      ],
    ],
  ])('audit-R1 two calls with the same id stay two: %s', (_name, pieces) => {
    expect(read(pieces)).toEqual(ab);
  });

  test.each<[string, Piece[]]>([
    [
      'at two indexes',
      [
        [0, 'c', add, a],
        [1, 'c', 'board_move', a],
      ],
    ],
    [
      'at one index',
      [
        [0, 'c', add, a],
        [0, 'c', 'board_move', a],
      ],
    ],
    [
      'at one index, without ids',
      [
        [0, null, add, ''],
        [0, null, undefined, a],
        [0, null, 'board_move', a],
      ],
    ],
    [
      'announced first',
      [
        [0, 'c', add, ''],
        [1, 'c', 'board_move', ''],
        [0, null, undefined, a],
        [1, null, undefined, a],
      ],
    ],
  ])('audit-R1 calls of two tools with the same id stay two: %s', (_name, pieces) => {
    expect(read(pieces)).toEqual([
      ['board.add', a],
      ['board.move', a],
    ]);
  });

  test('audit-R1 a call without arguments stays one call, also with an empty object', () => {
    expect(
      read([
        [0, 'c', 'board_list', ''],
        [1, 'c', 'board_list', ''],
      ]),
    ).toEqual([['board.list', '']]);
    expect(
      read([
        [0, 'c', 'board_list', '{}'],
        [1, 'c', 'board_list', '{}'],
      ]),
    ).toEqual([['board.list', '{}']]);
  });

  test('audit-R1 if it is unknown to which call arguments belong, no tool runs with wrong arguments', () => {
    const calls = read([
      [0, 'c', add, ''],
      [1, 'd', 'board_move', ''],
      [2, null, undefined, a],
    ]);
    expect(calls).toEqual([
      ['board.add', ''],
      ['board.move', ''],
      ['unnamed', a],
    ]);
  });

  test('audit-R1 calls with the same id keep their order beside another call', () => {
    const calls = read([
      [0, 'c', add, a],
      [1, 'c', add, b],
      [2, 'c', 'board_move', x],
    ]);
    expect(calls).toEqual([...ab, ['board.move', x]]);
  });

  test('audit-R1 arguments that contain a copy of their own beginning are read correctly', () => {
    expect(
      read([
        [0, 'c', add, '{"a":'],
        [0, null, undefined, '{"a":'],
        [0, null, undefined, '1}}'],
      ]),
    ).toEqual([['board.add', '{"a":{"a":1}}']]);
  });
});

describe('Responses', () => {
  const reader = () => new EventReader({ names, server, model: 'm' });
  const call = (fields: object) => ({ type: 'function_call', name: 'board_add', arguments: '', ...fields });
  const message = (id: string, text?: string) => ({
    type: 'message',
    id,
    content: text === undefined ? [] : [{ type: 'output_text', text }],
  });
  const event = (type: string, fields: object) => ({ type: `response.${type}`, ...fields });
  const added = (item: object, fields: object = {}) => event('output_item.added', { item, ...fields });
  const done = (item: object, fields: object = {}) => event('output_item.done', { item, ...fields });
  const args = (delta: string, fields: object = {}) =>
    event('function_call_arguments.delta', { delta, ...fields });
  const said = (delta: string, fields: object = {}) => event('output_text.delta', { delta, ...fields });
  const completed = (...output: object[]) =>
    event('completed', { response: { status: 'completed', output } });

  function read(...events: readonly object[]): { calls: Called; text: string } {
    const reading = reader();
    const all = [...events.flatMap((one) => reading.read(one)), ...reading.end()];
    const text = all.flatMap((one) => (one.type === 'text' ? one.delta : [])).join('');
    return { calls: callsOf(all), text };
  }

  const x = '{"title":"x"}';
  const c = call({ id: 'fc1', call_id: 'c' });
  const cDone = call({ id: 'fc1', call_id: 'c', arguments: x });
  const d = call({ id: 'fc2', call_id: 'd' });
  const y = '{"title":"y"}';
  const dDone = call({ id: 'fc2', call_id: 'd', arguments: y });
  const one: Called = [['board.add', x]];
  const two: Called = [...one, ['board.add', y]];

  test.each([
    ['share an index', { output_index: 0 }],
    ['lack an index', {}],
  ])('audit-R1 a message and a call that %s are separated, while both are open', (_name, at) => {
    for (const [first, second] of [
      [c, message('m1')],
      [message('m1'), c],
    ] as const) {
      for (const [item, call_] of [
        [{ item_id: 'm1' }, { item_id: 'fc1' }],
        [{}, {}],
      ]) {
        expect(
          read(
            added(first, at),
            added(second, at),
            said('Adding ', { ...at, ...item }),
            args('{"title"', { ...at, ...call_ }),
            said('it.', { ...at, ...item }),
            args(':"x"}', { ...at, ...call_ }),
            event('function_call_arguments.done', { ...at, ...call_, arguments: x }),
            done(cDone, at),
            done(message('m1', 'Adding it.'), at),
            completed(cDone, message('m1', 'Adding it.')),
          ),
        ).toEqual({ calls: one, text: 'Adding it.' });
      }
    }
  });

  test.each([
    ['share an index', { output_index: 0 }],
    ['lack an index', {}],
  ])('audit-R1 two calls that %s are separated, while both are open', (_name, at) => {
    for (const [toC, toD] of [
      [{ item_id: 'fc1' }, { item_id: 'fc2' }],
      [{ call_id: 'c' }, { call_id: 'd' }],
    ]) {
      expect(
        read(
          added(c, at),
          added(d, at),
          args('{"title"', { ...at, ...toC }),
          args('{"title"', { ...at, ...toD }),
          args(':"x"}', { ...at, ...toC }),
          args(':"y"}', { ...at, ...toD }),
          done(dDone, at),
          done(cDone, at),
          completed(cDone, dDone),
        ).calls,
      ).toEqual(two);
    }
  });

  test.each<[string, object[]]>([
    [
      'at another index in each event',
      [
        added(c, { output_index: 0 }),
        args(x, { output_index: 1, item_id: 'fc1' }),
        done(cDone, { output_index: 2 }),
        completed(cDone),
      ],
    ],
    [
      'with another call id at its end',
      [
        added(c, { output_index: 0 }),
        args(x, { output_index: 0 }),
        done(call({ id: 'fc1', call_id: 'z', arguments: x }), { output_index: 0 }),
        completed(),
      ],
    ],
    [
      'with another call id in the response',
      [
        added(c, { output_index: 0 }),
        args(x, { output_index: 0 }),
        done(cDone, { output_index: 0 }),
        completed(call({ id: 'fc1', call_id: 'z', arguments: x })),
      ],
    ],
    [
      'with new ids everywhere',
      [
        added(c, { output_index: 0 }),
        args(x, { output_index: 0, item_id: 'q' }),
        done(call({ id: 'r', call_id: 'z', arguments: x }), { output_index: 0 }),
        completed(call({ id: 's', call_id: 'y', arguments: '{ "title": "x" }' })),
      ],
    ],
    [
      'without a call id',
      [
        added(call({ id: 'fc1' })),
        args(x, { item_id: 'fc1' }),
        done(call({ id: 'fc1', arguments: x })),
        completed(call({ id: 'fc1', arguments: x })),
      ],
    ],
    [
      'announced twice, at two indexes',
      [
        added(c, { output_index: 0 }),
        added(c, { output_index: 1 }),
        args(x, { output_index: 1 }),
        done(cDone, { output_index: 1 }),
        completed(cDone),
      ],
    ],
    [
      'done, and announced again',
      [
        added(c, { output_index: 0 }),
        done(cDone, { output_index: 0 }),
        added(c, { output_index: 1 }),
        done(cDone, { output_index: 1 }),
        completed(cDone),
      ],
    ],
    [
      'announced with an empty object',
      [
        added(call({ id: 'fc1', call_id: 'c', arguments: '{}' }), { output_index: 0 }),
        args(x, { output_index: 0 }),
        done(cDone, { output_index: 0 }),
        completed(cDone),
      ],
    ],
    ['arguments that come before it', [args(x, { item_id: 'fc1' }), added(c), done(cDone), completed(cDone)]],
    [
      'its arguments as far as they are',
      [
        added(c, { output_index: 0 }),
        args('{"ti', { output_index: 0 }),
        args('{"title":', { output_index: 0 }),
        args(x, { output_index: 0 }),
        done(cDone, { output_index: 0 }),
        completed(cDone),
      ],
    ],
    [
      'its arguments as far as they are, without a description at its end',
      [added(c), args('{"ti'), args('{"title":'), args(x), completed()],
    ],
    ['whole behind its pieces', [added(c), args('{"title"'), args(':"x"}'), args(x), completed()]],
    [
      'an empty object before its pieces',
      [added(c), args('{}'), args('{"title"'), args(':"x"}'), completed()],
    ],
    ['whole, and a repetition that was cut', [added(c), args(x), args('{"tit'), completed()]],
  ])('audit-R1 one call is one call: %s', (_name, events) => {
    expect(read(...events).calls).toEqual(one);
  });

  test.each<[string, object[]]>([
    [
      'one item id for all',
      [
        added(call({ id: 'fc', call_id: 'c' }), { output_index: 0 }),
        args(x, { output_index: 0, item_id: 'fc' }),
        done(call({ id: 'fc', call_id: 'c', arguments: x }), { output_index: 0 }),
        added(call({ id: 'fc', call_id: 'd' }), { output_index: 1 }),
        args(y, { output_index: 1, item_id: 'fc' }),
        done(call({ id: 'fc', call_id: 'd', arguments: y }), { output_index: 1 }),
        completed(
          call({ id: 'fc', call_id: 'c', arguments: x }),
          call({ id: 'fc', call_id: 'd', arguments: y }),
        ),
      ],
    ],
    [
      'one call id for all',
      [
        added(call({ id: 'fc1', call_id: 'c' }), { output_index: 0 }),
        args(x, { output_index: 0, item_id: 'fc1' }),
        done(call({ id: 'fc1', call_id: 'c', arguments: x }), { output_index: 0 }),
        added(call({ id: 'fc2', call_id: 'c' }), { output_index: 1 }),
        args(y, { output_index: 1, item_id: 'fc2' }),
        done(call({ id: 'fc2', call_id: 'c', arguments: y }), { output_index: 1 }),
        completed(
          call({ id: 'fc1', call_id: 'c', arguments: x }),
          call({ id: 'fc2', call_id: 'c', arguments: y }),
        ),
      ],
    ],
    ['without ids, in the response alone', [completed(call({ arguments: x }), call({ arguments: y }))]],
    [
      'done alone, at one index',
      [done(cDone, { output_index: 0 }), done(dDone, { output_index: 0 }), completed(cDone, dDone)],
    ],
    [
      'without ids and indexes, one behind the other',
      [
        added(call({})),
        args(x),
        done(call({ arguments: x })),
        added(call({})),
        args(y),
        done(call({ arguments: y })),
        completed(call({ arguments: x }), call({ arguments: y })),
      ],
    ],
  ])('audit-R1 two calls stay two: %s', (_name, events) => {
    expect(read(...events).calls).toEqual(two);
  });
});
