// The queue in a log, in two tabs, and with a journal that refuses writes.
import { describe, expect, it } from 'vitest';
import {
  type AnswerSource,
  checkOrder,
  createVirtualClock,
  memoryLog,
  recordingJournal,
  say,
  settle,
  stall,
} from '@banister/testing';
import { createMirror, type Operation } from '@banister/session';
import { fold, fromStored, initialState, toStored } from '@banister/session/operations';
import { fixture, outline, rejection, terminals } from './fixture.js';
import { codeOf, createSession, opened, recordsOf } from './opened.js';

const id = 'chat-1';

function world() {
  const clock = createVirtualClock(1_000);
  const log = memoryLog({ clock });
  const open = async (answers: readonly AnswerSource[] = []) => {
    const one = createSession(answers, { id, log }, clock);
    await opened(one.session);
    return one;
  };
  return { clock, open };
}

describe('the queue in two tabs', () => {
  it('takes the commands of both, and each gets its promise', async () => {
    const { clock, open } = world();
    const writer = await open([stall(), say('B'), say('C')]);
    const follower = await open();
    void writer.session.send('A').catch(() => {});
    await settle();
    const theirs = follower.session.enqueue('B', { id: 'b', limits: { maxRounds: 3, timeoutMs: Infinity } });
    await clock.advance(100);
    const ours = writer.session.enqueue('C', { id: 'c' });
    await clock.advance(100);
    expect(follower.session.queue.value).toEqual(writer.session.queue.value);
    expect(follower.session.queue.value).toEqual([
      { id: 'b', input: 'B', steering: false, options: { limits: { maxRounds: 3, timeoutMs: null } } },
      { id: 'c', input: 'C', steering: false },
    ]);
    expect(await follower.session.requeue('c', { before: 'b', input: 'C2' })).toBe(true);
    expect(await follower.session.dequeue('none')).toBe(false);
    const steered = follower.session.steer('Also');
    await clock.advance(100);
    await follower.session.cancel();
    expect(await steered).toBe('queued');
    expect(await follower.session.dequeue(writer.session.queue.value[0]!.id)).toBe(true);
    await follower.session.resumeQueue();
    await clock.advance(100);
    expect([await theirs, await ours]).toEqual(['completed', 'completed']);
    expect(outline(writer.session.turns.value.map(({ input }) => input))).toEqual([
      'user: A',
      'user: C2',
      'user: B',
    ]);
    expect(follower.session.state).toEqual(writer.session.state);
    expect((await rejection(follower.session.enqueue(''))).code).toBe('invalid-input');
    await follower.session.dispose();
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('is paused after a hand-over, and the new writer resumes it', async () => {
    const { clock, open } = world();
    const writer = await open([stall()]);
    const follower = await open([say('B')]);
    void writer.session.send('A').catch(() => {});
    const lost = codeOf(writer.session.enqueue('B'));
    await settle();
    await writer.session.dispose({ turn: 'leave' });
    expect(await lost).toBe('disposed');
    await clock.advance(100);
    expect(follower.session.link.value.role).toBe('writer');
    expect(follower.session.queuePaused.value).toBe(true);
    await follower.session.abandon();
    await follower.session.resumeQueue();
    await clock.advance(10);
    expect(follower.session.turns.value.map(({ status }) => status)).toEqual(['failed', 'completed']);
    await follower.session.dispose();
  });
});

describe('the log of a queue', () => {
  /** The operations of a session that used each of its commands. */
  async function played(): Promise<{ operations: readonly Operation[]; state: unknown }> {
    await using f = fixture([say('1'), stall(), say('2'), say('3')]);
    await f.session.resumeQueue();
    void f.session.send('A');
    void f.session.enqueue('B', { id: 'b', limits: { maxRounds: 3 } });
    void f.session.enqueue('C', { id: 'c' });
    void f.session.enqueue('D', { id: 'd' });
    void f.session.requeue('c', { before: 'b', input: 'C2' });
    void f.session.dequeue('d');
    await f.clock.advance(0);
    void f.session.steer('E');
    await f.session.cancel();
    await f.session.resumeQueue();
    await f.clock.advance(0);
    return { operations: [...f.observed.operations], state: f.session.state };
  }

  it('folds to the state of the session, in a mirror and from its stored form', async () => {
    const { operations, state } = await played();
    expect(operations.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['queued', 'dequeued', 'queueResumed']),
    );
    const stored = { operations: JSON.parse(JSON.stringify(toStored(operations))) as Operation[] };
    expect(fold(initialState(), fromStored(initialState(), stored))).toEqual(state);
    const mirror = createMirror(initialState());
    mirror.fold(operations);
    expect(mirror.state).toEqual(state);
    expect(mirror.signals.queue.value).toEqual(mirror.state.queue);
    expect(checkOrder(operations)).toEqual([]);
  });

  it('has the message again if it ends between its last operation in the queue and the start of its turn', async () => {
    const { operations } = await played();
    const end = operations.findIndex((one) => one.type === 'dequeued' && one.reason === 'started');
    const records = recordsOf([operations.slice(0, end + 1)]);
    const one = createSession([say('1')], { restored: { snapshot: null, records } });
    await opened(one.session);
    expect(one.session.queue.value.map(({ input }) => input)).toEqual(['C2', 'B']);
    expect(one.session.queuePaused.value).toBe(true);
    expect(checkOrder([...operations.slice(0, end + 1), ...one.operations])).toEqual([]);
    await one.session.dispose();
  });
});

describe('a journal that refuses', () => {
  it('a message that the journal refuses is not in the queue', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([stall()], { ports: { journal } });
    const sent = rejection(f.session.send('A'));
    await settle();
    journal.answer = 'refuse';
    expect((await rejection(f.session.enqueue('B'))).code).toBe('storage');
    expect(f.session.queue.value).toEqual([]);
    expect(f.session.link.value.saved).toBe(false);
    journal.answer = 'resolve';
    await f.session.cancel();
    await sent;
  });

  it('a message that steers: it does not join, and its promise rejects storage', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([stall()], { ports: { journal } });
    void f.session.send('A').catch(() => {});
    await settle();
    journal.answer = 'refuse';
    expect((await rejection(f.session.steer('B'))).code).toBe('storage');
    expect(f.session.queue.value).toEqual([]);
    journal.answer = 'resolve';
    await f.session.cancel();
  });

  it('commands of the queue resolve when their operation is written', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([stall()], { ports: { journal } });
    void f.session.send('A').catch(() => {});
    void f.session.enqueue('B', { id: 'b' });
    await settle();
    journal.answer = 'wait';
    let removed = false;
    const dequeued = f.session.dequeue('b').then(() => (removed = true));
    await settle();
    expect(f.session.queue.value).toEqual([]);
    expect(removed).toBe(false);
    journal.answer = 'resolve';
    journal.acceptAll();
    await dequeued;
    expect(removed).toBe(true);
  });

  it('holds the promises of every change, and that of the message, until the journal has them', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([stall()], { ports: { journal } });
    void f.session.send('A').catch(() => {});
    const message = f.session.enqueue('B', { id: 'b' });
    await settle();
    await f.session.cancel();
    journal.answer = 'wait';
    const settled: string[] = [];
    const { session } = f;
    const changes = [
      session.requeue('b', { input: 'C' }).then(() => settled.push('changed')),
      session.resumeQueue().then(() => settled.push('resumed')),
      session.dequeue('b').then(() => settled.push('removed')),
      message.then((result) => settled.push(result)),
    ];
    await settle();
    expect(session.queue.value).toEqual([]);
    expect(settled).toEqual([]);
    journal.answer = 'resolve';
    journal.acceptAll();
    await Promise.all(changes);
    expect(settled.toSorted()).toEqual(['cancelled', 'changed', 'removed', 'resumed']);
  });

  it('a message that was removed meanwhile: it leaves the queue once', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([stall()], { ports: { journal } });
    void f.session.send('A').catch(() => {});
    await settle();
    journal.answer = 'wait';
    const queued = rejection(f.session.enqueue('B', { id: 'b' }));
    await settle();
    const removed = rejection(f.session.dequeue('b'));
    journal.answer = 'refuse';
    for (const write of journal.writes) write.refuse();
    expect([(await queued).code, (await removed).code]).toEqual(['storage', 'storage']);
    expect(f.observed.types.filter((type) => type === 'dequeued')).toHaveLength(1);
    journal.answer = 'resolve';
    await f.session.cancel();
  });

  it('since another writer owns the session: messages that wait are rejected with storage, and start no turn', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([stall()], { ports: { journal } });
    void f.session.send('A').catch(() => {});
    const queued = rejection(f.session.enqueue('B'));
    const steered = rejection(f.session.steer('C'));
    await settle();
    journal.answer = 'fence';
    f.session.configure({ role: 'Another.' });
    await settle();
    expect([(await queued).code, (await steered).code]).toEqual(['storage', 'storage']);
    await f.clock.advance(60_000);
    expect(f.provider.requests).toHaveLength(1);
  });

  it('the next message starts when the promise of the turn before it has settled, also if a journal holds that', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([say('1'), say('2')], { ports: { journal } });
    const sent = f.session.send('A');
    const queued = f.session.enqueue('B');
    journal.answer = ({ operations }) =>
      operations.some(({ type }) => type === 'completed') ? 'wait' : 'resolve';
    await f.clock.advance(1_000);
    expect(terminals(f)).toEqual(['completed']);
    expect(f.session.queue.value).toHaveLength(1);
    journal.answer = 'resolve';
    journal.acceptAll();
    await sent;
    await f.clock.advance(0);
    expect(await queued).toBe('completed');
  });
});
