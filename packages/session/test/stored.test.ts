// The stored form of operations.
import { describe, expect, it } from 'vitest';
import { callTools, checkOrder, say } from '@banister/testing';
import type { Operation } from '@banister/session';
import { fromStored, initialState, toStored } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { fixture } from './fixture.js';

/** The operations of a session with texts, thinking and calls. */
async function recorded(): Promise<readonly Operation[]> {
  await using f = fixture(
    [
      callTools(
        { type: 'thinking', delta: 'First ' },
        { type: 'thinking', delta: 'this.', signature: 'sig==' },
        { type: 'thinking', delta: 'Then that.' },
        'I ',
        'add ',
        'one. ',
        addCard('A'),
      ),
      say(['Do', 'ne.']),
    ],
    { domains: [createBoard().domain()] },
  );
  await f.session.send('Go');
  return f.observed.operations;
}

describe('the stored form', () => {
  it('adjacent pieces of text are stored as one', async () => {
    const operations = await recorded();
    const stored = toStored(operations);
    const pieces = stored.flatMap((one) =>
      one.type === 'text' || one.type === 'thinking' ? [[one.type, one.delta]] : [],
    );
    expect(pieces).toEqual([
      ['thinking', 'First this.'],
      ['thinking', 'Then that.'],
      ['text', 'I add one. '],
      ['text', 'Done.'],
    ]);
    const last = operations.findLast(({ type }) => type === 'text')!;
    expect(stored.findLast(({ type }) => type === 'text')).toMatchObject({
      sequence: last.sequence,
      at: last.at,
    });
    expect(checkOrder(stored)).toEqual([]);
  });

  it('drops requests and the result of the turn; the result is read again', async () => {
    const operations = await recorded();
    const stored = toStored(operations);
    expect(stored.some((one) => 'request' in one || ('text' in one && one.type === 'completed'))).toBe(false);
    const read = fromStored(initialState(), { operations: stored });
    expect(read.at(-1)).toEqual(operations.at(-1));
    const plain = ({ type }: Operation) =>
      type !== 'modelCallStarted' && type !== 'text' && type !== 'thinking';
    expect(read.filter(plain)).toEqual(operations.filter(plain));
  });

  it('changes no operation', async () => {
    const operations = await recorded();
    const before = JSON.stringify(operations);
    toStored(operations);
    expect(JSON.stringify(operations)).toBe(before);
  });

  it('keeps an empty piece, and pieces of two turns, apart', () => {
    const piece = (delta: string, turnId = 't', sequence = 1): Operation => ({
      type: 'text',
      delta,
      turnId,
      sequence,
      at: 1,
    });
    const apart = [piece(''), piece('x', 't', 2), piece('y', 'u', 3)];
    expect(toStored(apart)).toEqual(apart);
  });
});
