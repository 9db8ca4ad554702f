import { expect, describe, test } from 'vitest';
import { calledWith, childTurn, said, withChildren } from '../../test/children.js';
import type { ChildTurn, RoundRecord } from '../conversation/turn-record.js';
import { shortenChildren } from './shorten-children.js';

const long = (letter: string) => letter.repeat(1_000);
const result = { outcome: 'success', content: [{ type: 'text', text: long('r') }] } as const;
const round = (id: string): RoundRecord => ({
  parts: [
    { type: 'thinking', text: long('t') },
    { type: 'text', text: long(id) },
    calledWith(id, { result, progress: long('p') }),
  ],
});
const root = { rounds: [{ parts: [calledWith('root')] }] };
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
const child = childTurn('x', [round('a'), round('b'), round('c'), said('The last text.')]);
const turn = withChildren(root, [child]);

function shortenedTo(maxBytes: number, of: { readonly rounds: readonly RoundRecord[] } = turn): ChildTurn {
  const call = shortenChildren(of, maxBytes).rounds[0]!.parts[0]!;
  return (call.type === 'tool-call' && call.children![0]) as ChildTurn;
}
/** The letters of the long texts that a record has. */
const left = (record: ChildTurn) =>
  [...new Set(JSON.stringify(record).match(/(\w)\1{999}/g)!)]
    .map((one) => one[0])
    .sort()
    .join('');

describe('agents C57: the record of a child turn is shortened', () => {
  test('agents C57 child turns that fit keep their identity, with the turn above them', () => {
    expect(shortenChildren(turn, bytes(child))).toBe(turn);
    expect(shortenChildren(root, 1)).toBe(root);
    const two = withChildren(root, [childTurn('small', [said('Hi')]), child]);
    const [call] = shortenChildren(two, 2_000).rounds[0]!.parts;
    expect(call).toMatchObject({ children: [{ id: 'small' }, { id: 'x', shortened: true }] });
    const before = two.rounds[0]!.parts[0]!;
    expect(
      call?.type === 'tool-call' && before.type === 'tool-call' && call.children![0] === before.children![0],
    ).toBe(true);
  });

  test('agents C57 results of tools go first, then thinking, then the middle rounds, until it fits', () => {
    const whole = bytes(child);
    const steps = [
      [whole - 1, 'abcprt'],
      [whole - 6_100, 'abct'],
      [whole - 9_100, 'abc'],
      [whole - 10_100, 'ac'],
      [whole - 11_100, 'a'],
      [1, 'a'],
    ] as const;
    for (const [size, letters] of steps) {
      const short = shortenedTo(size);
      expect([size, left(short)]).toEqual([size, letters]);
      expect(short.shortened).toBe(true);
      if (size > 1) expect(bytes(short)).toBeLessThanOrEqual(size);
    }
  });

  test('agents C57 the input, calls with arguments, effects, the last text, usage and the outcome stay whole', () => {
    const effects = [{ toolCallId: 'b', toolName: 'board.add', description: long('e'), irreversible: false }];
    const usage = { inputTokens: 3 };
    const ended = {
      status: 'stopped',
      usage,
      rounds: 4,
      stop: { kind: 'tool', message: long('s') },
    } as const;
    const given = { effects, usage, outcome: ended, status: 'stopped' } as const;
    const { rounds: _rounds, ...rest } = childTurn('x', [], given);
    const short = shortenedTo(1, withChildren(root, [{ ...child, ...given }]));
    expect(short).toMatchObject(rest);
    const calls = short.rounds.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-call'));
    const settled = { result: { outcome: 'success', content: [] } } as const;
    expect(calls).toEqual(['a', 'b', 'c'].map((id) => calledWith(id, settled)));
    expect(short.rounds.at(-1)).toEqual(said('The last text.'));
  });

  test('agents C57 the last text stays if the last round has none, and bytes are counted, not characters', () => {
    const silent = childTurn('x', [
      said('First'),
      said('é'.repeat(900)),
      said(long('l')),
      { parts: [calledWith('d')] },
    ]);
    expect(left(shortenedTo(1, withChildren(root, [silent])))).toBe('l');
    const size = JSON.stringify(silent).length + 10;
    expect(shortenedTo(size, withChildren(root, [silent])).shortened).toBe(true);
  });

  test('agents C57 child turns of child turns are shortened too; with a thread, a child turn stays whole', () => {
    const above = childTurn('y', withChildren({ rounds: [round('a')] }, [child]).rounds);
    const short = shortenedTo(1, withChildren(root, [above]));
    expect(JSON.stringify(short)).toContain('"key":"x","phase":"idle"');
    expect(short.rounds[0]!.parts.at(-1)).toMatchObject({ children: [{ id: 'x', shortened: true }] });
    const threaded = withChildren(root, [{ ...child, thread: 'main' }]);
    expect(shortenChildren(threaded, 1)).toBe(threaded);
  });

  test('agents C57 shortening again changes nothing, and a record from which nothing can go is not marked', () => {
    const once = shortenChildren(turn, 5_000);
    expect(shortenChildren(once, 1)).toBe(once);
    const bare = withChildren(root, [childTurn('x', [said(long('x'))])]);
    expect(shortenChildren(bare, 1)).toBe(bare);
  });
});
