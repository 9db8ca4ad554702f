// What pauses the queue until the user resumes it.
import { describe, expect, it } from 'vitest';
import { createVirtualClock, fail, memoryLog, say, settle, stall } from '@banister/testing';
import { atOperation, fixture, rejection, terminals, type Fixture } from './fixture.js';
import { createSession, opened } from './opened.js';

/** Expects that the message of the queue starts only after `resumeQueue`. */
async function expectPaused(f: Fixture, queued: Promise<string>): Promise<void> {
  const before = terminals(f);
  expect(f.session.queuePaused.value).toBe(true);
  await f.clock.advance(60_000);
  expect(terminals(f)).toEqual(before);
  expect(f.session.queue.value).toHaveLength(1);
  await f.session.resumeQueue();
  expect(f.session.queuePaused.value).toBe(false);
  await f.clock.advance(0);
  expect(await queued).toBe('completed');
}

describe('a queue that is not empty pauses after', () => {
  it('the queue pauses after a cancel', async () => {
    await using f = fixture([stall(), say('2')]);
    void f.session.send('A');
    const queued = f.session.enqueue('B');
    await settle();
    await f.session.cancel();
    await expectPaused(f, queued);
  });

  it('the queue pauses after a failure', async () => {
    await using f = fixture([fail('auth'), say('2')]);
    const sent = rejection(f.session.send('A'));
    const queued = f.session.enqueue('B');
    await sent;
    await settle();
    await expectPaused(f, queued);
  });

  it('a move of the head', async () => {
    await using f = fixture([fail('auth'), say('1'), say('2')]);
    const sent = rejection(f.session.send('A'));
    const queued = f.session.enqueue('B');
    await sent;
    await settle();
    await f.session.resumeQueue();
    await f.session.retry();
    await expectPaused(f, queued);
  });

  it('a turn that the user sends while it is paused', async () => {
    await using f = fixture([stall(), say('1'), say('2')]);
    void f.session.send('A');
    const queued = f.session.enqueue('B');
    await settle();
    await f.session.cancel();
    await f.session.send('C');
    await expectPaused(f, queued);
  });

  it('the queue pauses after a restore', async () => {
    const clock = createVirtualClock(1_000);
    const log = memoryLog({ clock });
    const first = createSession([stall()], { id: 'chat', log }, clock);
    await opened(first.session);
    void first.session.send('A').catch(() => {});
    void first.session.enqueue('B');
    await settle();
    await first.session.dispose({ turn: 'leave' });

    const second = createSession([say('2')], { id: 'chat', log }, clock);
    await opened(second.session);
    expect(second.session.queue.value).toMatchObject([{ input: 'B', steering: false }]);
    expect(second.session.queuePaused.value).toBe(true);
    await second.session.abandon();
    await clock.advance(1_000);
    expect(second.session.turns.value).toHaveLength(1);
    await second.session.resumeQueue();
    await clock.advance(0);
    expect(second.session.turns.value.map(({ status }) => status)).toEqual(['failed', 'completed']);
    await second.session.dispose();
  });
});

describe('an empty queue', () => {
  it('an empty queue is never paused', async () => {
    await using f = fixture([stall(), fail('auth')]);
    void f.session.send('A');
    await settle();
    await f.session.cancel();
    expect(f.session.queuePaused.value).toBe(false);
    await rejection(f.session.send('B'));
    expect(f.session.queuePaused.value).toBe(false);
  });

  it('is not paused any more when its last message was removed', async () => {
    await using f = fixture([stall(), say('2')]);
    void f.session.send('A');
    void f.session.enqueue('B', { id: 'b' });
    await settle();
    await f.session.cancel();
    await f.session.dequeue('b');
    expect(f.session.queuePaused.value).toBe(false);
    expect(await f.session.enqueue('C')).toBe('completed');
  });
});

describe('a paused queue', () => {
  it('takes further messages, also on an idle session', async () => {
    await using f = fixture([stall(), say('2'), say('3')]);
    void f.session.send('A');
    void f.session.enqueue('B');
    await settle();
    await f.session.cancel();
    void f.session.enqueue('C');
    await f.clock.advance(1_000);
    expect(f.session.queue.value.map(({ input }) => input)).toEqual(['B', 'C']);
    await f.session.resumeQueue();
    await f.clock.advance(0);
    await f.clock.advance(0);
    expect(terminals(f)).toEqual(['cancelled', 'completed', 'completed']);
  });

  it('is not resumed twice: resumeQueue on a queue that goes on changes nothing', async () => {
    await using f = fixture([stall()]);
    void f.session.send('A');
    void f.session.enqueue('B');
    await settle();
    const before = f.session.state;
    await f.session.resumeQueue();
    expect(f.session.state).toBe(before);
  });

  it('goes on after the running turn when it is resumed meanwhile', async () => {
    await using f = fixture([stall(), say('1'), say('2')]);
    void f.session.send('A');
    const queued = f.session.enqueue('B');
    await settle();
    await f.session.cancel();
    atOperation(f.session, 'turnStarted', () => void f.session.resumeQueue());
    await f.session.send('C');
    await f.clock.advance(0);
    expect(await queued).toBe('completed');
    expect(f.session.queuePaused.value).toBe(false);
  });
});
