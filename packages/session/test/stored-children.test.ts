// The stored form of the facts of child turns.
import { callTools, checkOrder, say } from '@banister/testing';
import type { Operation } from '@banister/session';
import { readLog } from '@banister/session/log';
import { toStored } from '@banister/session/operations';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addCard, createBoard } from './board.js';
import { fixture } from './fixture.js';
import { propertyRun } from '../../../test/kit/property-run.js';

const turnId = '0b0a6d3c-5c0c-4b57-a3a1-2e4f4e0c7f10';
type Fact = { readonly type: string; readonly [field: string]: unknown };

const stamp = (fact: Fact, index: number): Operation =>
  ({ ...fact, sequence: index + 1, at: 1_764_300_000_000 + index, turnId }) as unknown as Operation;
const leaf = (path: string, inner: Fact): Fact => ({ type: 'subagent', path: path.split('/'), inner });
const text = (delta: string, more = {}): Fact => ({ type: 'text', delta, ...more });
const progress: Fact = { type: 'toolProgress', callId: 'c', patch: 1 };
const storedOf = (...facts: readonly Fact[]) => toStored(facts.map(stamp));
/** The number, the path and the text of each stored operation. */
const shown = (operations: readonly Operation[]) =>
  operations.map((one) => {
    const { type, delta } = (one.type === 'subagent' ? one.inner : one) as Fact;
    const path = one.type === 'subagent' ? one.path.join('/') : '';
    return `${one.sequence} ${path} ${type === 'text' ? String(delta) : type}`;
  });

/** The operations of a turn with texts and a call, each answer in many pieces. */
async function recorded(): Promise<readonly Fact[]> {
  const words = Array.from({ length: 100 }, (_, index) => `Word ${index}. `);
  await using f = fixture([callTools(...words, addCard('A')), say(words)], {
    domains: [createBoard().domain()],
  });
  await f.session.send('Go');
  return f.observed.operations
    .filter((operation) => operation.turnId !== undefined)
    .map(({ sequence: _sequence, at: _at, turnId: _turn, ...fact }) => fact as Fact);
}

const lengthOf = (operations: readonly Operation[]) => JSON.stringify(toStored(operations)).length;

describe('agents C58: the stored form', () => {
  it('agents C58 joins the pieces of each child turn across the facts of other child turns', () => {
    const stored = storedOf(
      leaf('a', text('1')),
      leaf('b', text('2')),
      leaf('a', text('3')),
      leaf('b', progress),
      text('5'),
      leaf('a', text('6')),
      leaf('c/d', text('7')),
      leaf('b', text('8')),
      leaf('c', text('9')),
      leaf('c/d', text('10')),
      text('11'),
    );
    expect(shown(stored)).toEqual([
      '2 b 2',
      '4 b toolProgress',
      '6 a 136',
      '8 b 8',
      '9 c 9',
      '10 c/d 710',
      '11  511',
    ]);
  });

  it('agents C58 joins no pieces across a fact of the turn, of a turn above it, or of a turn inside it', () => {
    const around = [leaf('a', progress), leaf('a/b/c', progress), progress];
    for (const fact of around)
      expect(shown(storedOf(leaf('a/b', text('1')), fact, leaf('a/b', text('3'))))).toHaveLength(3);
    const beside = [leaf('a/c', progress), leaf('b', progress), leaf('ab', progress)];
    for (const fact of beside)
      expect(shown(storedOf(leaf('a/b', text('1')), fact, leaf('a/b', text('3'))))).toHaveLength(2);
  });

  it('agents C58 joins no piece behind a signature, an empty piece, or a field of a later release', () => {
    const thinking = (more: object): Fact => ({ type: 'thinking', delta: 'x', ...more });
    for (const first of [
      thinking({ signature: 's' }),
      thinking({ delta: '' }),
      thinking({ later: 1 }),
      text('x'),
    ])
      expect(storedOf(leaf('a', first), leaf('a', thinking({})))).toHaveLength(2);
    const later = { ...leaf('a', text('x')), later: 1 };
    expect(storedOf(later, leaf('a', text('x')))).toHaveLength(2);
    expect(storedOf(leaf('a', thinking({})), leaf('a', thinking({ signature: 's' })))).toEqual([
      expect.objectContaining({ inner: { type: 'thinking', delta: 'xx', signature: 's' } }),
    ]);
  });

  it('agents C58 leaves the request of a model call and the result of a child turn out', () => {
    const ended = { type: 'completed', rounds: 1, text: 'x', messages: [] };
    const asked = { type: 'modelCallStarted', attempt: 1, request: {} };
    expect(storedOf(leaf('a', asked), leaf('a', ended)).map((one) => 'inner' in one && one.inner)).toEqual([
      { type: 'modelCallStarted', attempt: 1 },
      { type: 'completed', rounds: 1 },
    ]);
  });

  it('agents C58 keeps the order of each child turn, and numbers increase up to the last, in every interleaving', () => {
    const facts = [text('x'), text('y'), { type: 'thinking', delta: 'z' }, progress];
    const one = fc.tuple(fc.constantFrom('a', 'b', 'a/c', 'd/e'), fc.constantFrom(...facts));
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 40 }), (given) => {
        const operations = given.map(([path, fact], index) => stamp(leaf(path, fact), index));
        const stored = toStored(operations);
        const numbers = stored.map(({ sequence }) => sequence);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        expect(numbers.at(-1)).toBe(operations.at(-1)!.sequence);
        for (const path of ['a', 'b', 'a/c', 'd/e']) {
          const of = (all: readonly Operation[]) =>
            all.flatMap((leaf) =>
              leaf.type === 'subagent' && leaf.path.join('/') === path ? [leaf.inner] : [],
            );
          const pieces = (all: readonly unknown[]) =>
            (all as Fact[]).reduce<string>((sum, { type, delta }) => {
              const last = sum.slice(sum.lastIndexOf('<') + 1).split('>')[0];
              return delta === undefined || last !== type
                ? `${sum}<${type}>${String(delta)}`
                : sum + String(delta);
            }, '');
          expect(pieces(of(stored))).toBe(pieces(of(operations)));
        }
        const record = { version: 2, revision: 1, epoch: 1, operations: stored };
        expect(readLog({ snapshot: null, records: [record] }).problem).toBeNull();
      }),
      propertyRun('stored form of child turns', 300),
    );
  });

  it.each([1, 20])(
    'agents C58 is at most 1.3 times as long as the turns by themselves, with %i',
    async (count) => {
      const turn = await recorded();
      const alone = lengthOf(turn.map(stamp)) * count;
      const paths = Array.from(
        { length: count },
        (_, index) => `5f2f4f5e-8e5e-4a57-9d54-0000000000${10 + index}`,
      );
      const woven = turn.flatMap((fact) => paths.map((path) => leaf(path, fact)));
      const ratio = lengthOf(woven.map(stamp)) / alone;
      expect(ratio).toBeLessThan(1.3);
      expect(checkOrder(toStored(turn.map(stamp)))).toEqual([]);
    },
  );
});
