// A queue that the user changes.
import { describe, expect, it } from 'vitest';
import { say, settle, stall } from '@banister/testing';
import { atOperation, fixture, outline, rejection, type Fixture } from './fixture.js';

/** The ids of the queue. */
const ids = ({ session }: Fixture) => session.queue.value.map(({ id }) => id);

/** A session whose turn runs until it is cancelled, with these messages in the queue. */
async function queued(f: Fixture, ...names: readonly string[]): Promise<readonly Promise<string>[]> {
  void f.session.send('A');
  const promises = names.map((id) => f.session.enqueue(`Do ${id}`, { id }));
  await settle();
  return promises;
}

describe('requeue', () => {
  it('moves a message before another one, to the end, and nowhere', async () => {
    await using f = fixture([stall()]);
    void (await queued(f, 'a', 'b', 'c'));
    expect(await f.session.requeue('c', { before: 'a' })).toBe(true);
    expect(ids(f)).toEqual(['c', 'a', 'b']);
    expect(await f.session.requeue('c', { before: null })).toBe(true);
    expect(ids(f)).toEqual(['a', 'b', 'c']);
    expect(await f.session.requeue('b', { before: 'b' })).toBe(true);
    expect(await f.session.requeue('b', {})).toBe(true);
    expect(ids(f)).toEqual(['a', 'b', 'c']);
  });

  it('changes the message in its place; its promise is settled by the turn of the new one', async () => {
    await using f = fixture([stall(), say('1'), say('2')]);
    const [first] = await queued(f, 'a', 'b');
    expect(await f.session.requeue('a', { input: 'Do z' })).toBe(true);
    expect(f.session.queue.value.map(({ input }) => input)).toEqual(['Do z', 'Do b']);
    await f.session.cancel();
    await f.session.resumeQueue();
    await f.clock.advance(0);
    expect(await first).toBe('completed');
    expect(outline([f.session.turns.value[1]!.input])).toEqual(['user: Do z']);
    await f.clock.advance(0);
  });

  it('returns false, and changes nothing, when it is too late or the other one is not there', async () => {
    await using f = fixture([say('1'), say('2')]);
    await f.session.resumeQueue();
    const results: Promise<boolean>[] = [];
    atOperation(
      f.session,
      'turnStarted',
      () => results.push(f.session.requeue('b', { input: 'x' }), f.session.dequeue('b')),
      2,
    );
    void f.session.send('A');
    void f.session.enqueue('B', { id: 'b' });
    expect(await f.session.requeue('b', { before: 'none' })).toBe(false);
    expect(await f.session.requeue('none', { before: null })).toBe(false);
    await f.clock.runAll();
    expect(await Promise.all(results)).toEqual([false, false]);
    expect(f.observed.types.filter((type) => type === 'queued')).toHaveLength(1);
    expect(outline([f.session.turns.value[1]!.input])).toEqual(['user: B']);
  });

  it('works until the turn begins, in the macrotask after the one before it too', async () => {
    await using f = fixture([say('1'), say('2')]);
    const sent = f.session.send('A');
    void f.session.enqueue('B', { id: 'b' });
    await sent;
    await settle();
    expect(f.session.isRunning.value).toBe(false);
    expect(await f.session.requeue('b', { input: 'C' })).toBe(true);
    await f.clock.advance(0);
    expect(outline([f.session.turns.value[1]!.input])).toEqual(['user: C']);
  });

  it.each([
    ['an empty message', { input: '' }, 'invalid-input'],
    ['an unknown change', { limits: {} }, 'invalid-configuration'],
  ] as const)('rejects, and changes nothing, for %s', async (_name, change, code) => {
    await using f = fixture([stall()]);
    void (await queued(f, 'a'));
    const before = f.session.state;
    expect((await rejection(f.session.requeue('a', change as object))).code).toBe(code);
    expect(f.session.state).toBe(before);
  });
});

describe('dequeue', () => {
  it('removes a message, whose promise resolves with cancelled', async () => {
    await using f = fixture([stall()]);
    const [first, second] = await queued(f, 'a', 'b');
    expect(await f.session.dequeue('a')).toBe(true);
    expect(await f.session.dequeue('a')).toBe(false);
    expect(ids(f)).toEqual(['b']);
    expect(await first).toBe('cancelled');
    expect(await f.session.dequeue('b')).toBe(true);
    expect(await second).toBe('cancelled');
  });

  it('works until the turn begins: then no turn begins', async () => {
    await using f = fixture([say('1')]);
    const sent = f.session.send('A');
    const second = f.session.enqueue('B', { id: 'b' });
    await sent;
    await settle();
    expect(await f.session.dequeue('b')).toBe(true);
    expect(await second).toBe('cancelled');
    await f.clock.runAll();
    expect(f.session.turns.value).toHaveLength(1);
  });

  it('by a subscriber of the operation that queued it is not too early', async () => {
    await using f = fixture([stall()]);
    await f.session.resumeQueue();
    atOperation(f.session, 'queued', () => void f.session.dequeue('b'));
    void f.session.send('A');
    expect(await f.session.enqueue('B', { id: 'b' })).toBe('cancelled');
    expect(ids(f)).toEqual([]);
  });
});
