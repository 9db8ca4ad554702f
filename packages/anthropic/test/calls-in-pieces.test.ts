import { createWireNames } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { MessageReader } from '../src/message-reader.js';

// One call in pieces is one call, no matter how the server numbers its blocks. Two calls stay two.

type Event = Record<string, unknown>;
type Called = readonly (readonly [tool: string, argumentsText: string])[];

const start = (index: number | undefined, id: string, input: object = {}, name = 'board_add'): Event => ({
  type: 'content_block_start',
  index,
  content_block: { type: 'tool_use', id, name, input },
});
const textStart = (index: number): Event => ({
  type: 'content_block_start',
  index,
  content_block: { type: 'text', text: '' },
});
const piece = (index: number | undefined, partial_json: string): Event => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
});
const said = (index: number, text: string): Event => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'text_delta', text },
});
const stop = (index?: number): Event => ({ type: 'content_block_stop', index });

function read(events: readonly Event[]): { calls: Called; text: string } {
  const reader = new MessageReader(createWireNames(['board.add', 'board.move']));
  const end = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }];
  const calls: [string, string][] = [];
  let text = '';
  for (const event of [...events, ...end].flatMap((one) => reader.read(one))) {
    if (event.type === 'text') text += event.delta;
    if (event.type !== 'tool-call') continue;
    const known = calls[event.index];
    if (known) known[1] += event.delta;
    else {
      expect(event.index).toBe(calls.length);
      calls.push([event.tool ?? '', event.delta]);
    }
  }
  return { calls, text };
}

const x = '{"title":"x"}';
const y = '{"title":"y"}';
const one: Called = [['board.add', x]];
const two: Called = [...one, ['board.add', y]];

describe('Messages', () => {
  test.each<[string, Event[]]>([
    [
      'announced in one block, whole in the next',
      [start(0, 't'), stop(0), start(1, 't', { title: 'x' }), stop(1)],
    ],
    [
      'announced in one block, in pieces in the next',
      [start(0, 't'), stop(0), start(1, 't'), piece(1, x), stop(1)],
    ],
    ['announced in one block that stays open', [start(0, 't'), start(1, 't'), piece(1, x), stop(1)]],
    ['its beginning at index 0, its pieces at index 1', [start(0, 't'), piece(1, x), stop(0)]],
    [
      'whole, twice',
      [start(0, 't'), piece(0, x), stop(0), start(1, 't'), piece(1, '{ "title": "x" }'), stop(1)],
    ],
    [
      'without an index',
      [start(undefined, 't'), piece(undefined, '{"title"'), piece(undefined, ':"x"}'), stop()],
    ],
    ['announced again at its end', [start(0, 't'), piece(0, x), stop(0), start(1, 't'), stop(1)]],
    ['as far as it is', [start(0, 't'), piece(0, '{"ti'), piece(0, '{"title":"'), piece(0, x), stop(0)]],
    ['as far as it is, never stopped', [start(0, 't'), piece(0, '{"title"'), piece(0, x)]],
    [
      'as far as it is, behind an empty piece',
      [start(0, 't'), piece(0, ''), piece(0, '{"t'), piece(0, x), piece(0, x), stop(0)],
    ],
    [
      'as far as it is, without an index',
      [start(undefined, 't'), piece(undefined, '{"t'), piece(undefined, x), stop()],
    ],
    [
      'as far as it is, at an index of its own each time',
      [start(0, 't'), piece(0, '{"title":'), piece(1, x), stop(0)],
    ],
    [
      'whole behind its pieces',
      [start(0, 't'), piece(0, '{"title"'), piece(0, ':"x"}'), piece(0, x), stop(0)],
    ],
    [
      'whole behind its pieces, written differently',
      [start(0, 't'), piece(0, '{"title"'), piece(0, ':"x"}'), piece(0, '{ "title": "x" }'), stop(0)],
    ],
    ['whole, and a repetition that was cut', [start(0, 't'), piece(0, x), piece(0, '{"tit'), stop(0)]],
    ['an empty object before its pieces', [start(0, 't'), piece(0, '{}'), piece(0, x), stop(0)]],
    ['an empty object behind its whole input', [start(0, 't', { title: 'x' }), piece(0, '{}'), stop(0)]],
    [
      'as far as it is, in two blocks',
      [start(0, 't'), piece(0, '{"t'), piece(0, x), stop(0), start(1, 't'), piece(1, x), stop(1)],
    ],
  ])('audit-R1 one call is one call: %s', (_name, events) => {
    expect(read(events).calls).toEqual(one);
  });

  test.each<[string, Event[]]>([
    ['at two indexes', [start(0, 't'), piece(0, x), stop(0), start(1, 't'), piece(1, y), stop(1)]],
    ['at one index', [start(0, 't'), piece(0, x), stop(0), start(0, 't'), piece(0, y), stop(0)]],
    [
      'whole in their first events',
      [start(0, 't', { title: 'x' }), stop(0), start(1, 't', { title: 'y' }), stop(1)],
    ],
    ['the second one never stopped', [start(0, 't'), piece(0, x), stop(0), start(1, 't'), piece(1, y)]],
  ])('audit-R1 two calls with the same id stay two: %s', (_name, events) => {
    expect(read(events).calls).toEqual(two);
  });

  test.each([
    ['arguments that hold their own beginning', ['{"a":', '{"a":', '{"a":1}}}'], '{"a":{"a":{"a":1}}}'],
    ['an empty object', ['{', '}'], '{}'],
    ['an empty object, in one piece', ['{}'], '{}'],
    ['two texts that contradict each other', [x, y], x + y],
    ['pieces that never become whole', ['{"t', '{"ti', '"}'], '{"t{"ti"}'],
  ])('audit-R1 %s are read unchanged', (_name, pieces, whole) => {
    const events = [start(0, 't'), ...pieces.map((text) => piece(0, text)), stop(0)];
    expect(read(events).calls).toEqual([['board.add', whole]]);
  });

  test('audit-R1 a message goes back with the arguments that ran', () => {
    const reader = new MessageReader(createWireNames(['board.add']));
    for (const event of [start(0, 't'), piece(0, '{"t'), piece(0, x), stop(0)]) reader.read(event);
    expect(reader.content()).toMatchObject([{ type: 'tool_use', input: { title: 'x' } }]);
  });

  test('audit-R1 calls of two tools with the same id stay two, while both are open', () => {
    const events = [
      start(0, 't'),
      start(1, 't', {}, 'board_move'),
      piece(0, x),
      piece(1, x),
      stop(0),
      stop(1),
    ];
    expect(read(events).calls).toEqual([...one, ['board.move', x]]);
  });

  test('audit-R1 text and a call with the same index are separated, while both are open', () => {
    const events = [textStart(0), start(0, 't'), said(0, 'Hi'), piece(0, x), stop(0), stop(0)];
    expect(read(events)).toEqual({ calls: one, text: 'Hi' });
  });
});
