// The ids that an app gives to messages of the queue, each of which counts once in a log, and where such a message comes from.
import { describe, expect, it } from 'vitest';
import {
  type AnswerSource,
  checkOrder,
  createVirtualClock,
  fail,
  gate,
  memoryLog,
  recordingJournal,
  say,
  scriptedProvider,
  settle,
  stall,
} from '@banister/testing';
import {
  createMirror,
  importedState,
  type LocalAgentSession,
  type Operation,
  type SessionOptions,
} from '@banister/session';
import { fold, fromStored, initialState, toStored } from '@banister/session/operations';
import { readLog, savedState } from '@banister/session/log';
import { fixture, outline, rejection } from './fixture.js';
import { codeOf, createSession, opened, recordsOf } from './opened.js';

const id = 'task/1';

/** Gives a message the id of every test. */
const give = (session: LocalAgentSession, input = 'Done') => session.enqueue(input, { id });

/** The number of operations that put a new message into the queue. */
const newMessages = (operations: readonly Operation[]) =>
  operations.filter((operation) => operation.type === 'queued' && operation.given === true).length;

/** A log that several sessions open. */
function world() {
  const clock = createVirtualClock(1_000);
  const log = memoryLog({ clock });
  const open = async (answers: readonly AnswerSource[] = [], options: Partial<SessionOptions> = {}) => {
    const one = createSession(answers, { id: 'chat-1', log, ...options }, clock);
    await opened(one.session);
    return one;
  };
  return { clock, log, open };
}

describe('agents K7 an id that the app gives', () => {
  it('agents K7 puts a second message into no queue while the first waits, and both promises settle alike', async () => {
    await using f = fixture([say('1'), say('2')]);
    void f.session.send('A');
    const first = give(f.session);
    const again = give(f.session, 'Other words');
    await settle();
    expect(f.session.queue.value.map(({ input }) => input)).toEqual(['Done']);
    await f.clock.runAll();
    expect(await Promise.all([first, again])).toEqual(['completed', 'completed']);
    expect(outline(f.session.turns.value.map(({ input }) => input))).toEqual(['user: A', 'user: Done']);
    expect(newMessages(f.observed.operations)).toBe(1);
  });

  it('agents K7 goes through the queue of an idle session, which starts its turn', async () => {
    await using f = fixture([say('1')]);
    const first = give(f.session);
    await f.clock.runAll();
    expect(await first).toBe('completed');
    expect(f.observed.types.slice(0, 3)).toEqual(['queued', 'dequeued', 'turnStarted']);
    expect(await give(f.session)).toBe('completed');
    expect(f.session.turns.value).toHaveLength(1);
  });

  it('agents K7 waits for the turn while it runs, and settles as it ends', async () => {
    const more = gate();
    await using f = fixture([say(['1', more]), stall()]);
    const first = give(f.session);
    await f.clock.advance(0);
    await more.reached;
    const again = give(f.session);
    more.open();
    expect(await Promise.all([first, again])).toEqual(['completed', 'completed']);

    const other = rejection(f.session.enqueue('B', { id: 'task/2' }));
    await f.clock.advance(0);
    const otherAgain = rejection(f.session.enqueue('B', { id: 'task/2' }));
    await f.session.cancel();
    expect([(await other).code, (await otherAgain).code]).toEqual(['cancelled', 'cancelled']);
    expect((await rejection(f.session.enqueue('B', { id: 'task/2' }))).code).toBe('cancelled');
    expect(f.session.turns.value).toHaveLength(2);
  });

  it('agents K7 settles as its own turn did, also after a retry, a regenerate and an edit of that turn', async () => {
    await using f = fixture([fail('auth'), say('2'), say('3'), say('4')]);
    const first = rejection(give(f.session));
    await f.clock.runAll();
    expect((await first).code).toBe('auth');
    expect(await rejection(give(f.session))).toBe(await first);
    await f.session.retry();
    await f.session.regenerate();
    await f.session.edit(f.session.turns.value[0]!.id, 'Edited');
    expect((await rejection(give(f.session))).code).toBe('auth');
    await f.clock.runAll();
    expect(f.session.turns.value).toHaveLength(1);
    expect(newMessages(f.observed.operations)).toBe(1);
  });

  it('agents K7 stays `cancelled` after the message was removed, also when it was moved before', async () => {
    await using f = fixture([stall()]);
    void f.session.send('A');
    const first = give(f.session);
    const again = give(f.session);
    await f.session.requeue(id, { input: 'Other words' });
    await f.session.dequeue(id);
    expect(await Promise.all([first, again, give(f.session)])).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
    expect(f.session.queue.value).toEqual([]);
  });

  it('agents K7 may be given again after the turn could not start', async () => {
    await using f = fixture([say('1'), say('2')]);
    void f.session.send('A');
    const image = { text: 'Look', images: [{ mediaType: 'image/png', data: 'AAAA' }] };
    const calls = [image, 'B'].map((input) => rejection(f.session.enqueue(input, { id })));
    await settle(3);
    const { provider } = f;
    f.session.configure({ provider: scriptedProvider([], { images: false }) });
    await f.clock.runAll();
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['unsupported', 'unsupported']);
    f.session.configure({ provider });
    const next = give(f.session);
    await f.clock.runAll();
    expect(await next).toBe('completed');
    expect(newMessages(f.observed.operations)).toBe(2);
    expect(checkOrder(f.observed.operations)).toEqual([]);
  });

  it('agents K7 may be given again after the journal refused the message', async () => {
    const journal = recordingJournal('resolve');
    await using f = fixture([stall()], { ports: { journal } });
    const sent = rejection(f.session.send('A'));
    await settle();
    journal.answer = 'refuse';
    expect((await rejection(give(f.session))).code).toBe('storage');
    journal.answer = 'resolve';
    void give(f.session);
    await settle();
    expect(f.session.queue.value.map((item) => item.id)).toEqual([id]);
    await f.session.cancel();
    await sent;
  });

  it('agents K7 may have the name of a member of every object', async () => {
    await using f = fixture([stall()]);
    void f.session.send('A');
    for (const name of ['__proto__', 'constructor', 'toString']) {
      void f.session.enqueue('B', { id: name });
      void f.session.enqueue('B', { id: name });
    }
    await settle();
    expect(f.session.queue.value.map((item) => item.id)).toEqual(['__proto__', 'constructor', 'toString']);
  });
});

describe('agents K7 an id in a log', () => {
  it('agents K7 counts after a reload: the message waits, its turn is interrupted, or it has ended', async () => {
    const { clock, open } = world();
    const one = await open([stall()]);
    void one.session.send('A').catch(() => {});
    void give(one.session).catch(() => {});
    await settle();
    await one.session.dispose({ turn: 'leave' });

    const two = await open([stall()]);
    const waiting = codeOf(give(two.session));
    await two.session.abandon();
    await two.session.resumeQueue();
    await clock.advance(0);
    await two.session.dispose({ turn: 'leave' });
    expect(await waiting).toBe('disposed');

    const three = await open([say('Told.')]);
    const interrupted = give(three.session);
    await settle();
    await three.session.resume();
    expect(await interrupted).toBe('completed');
    await three.session.dispose();

    const four = await open();
    expect(await give(four.session)).toBe('completed');
    expect(four.session.turns.value).toHaveLength(2);
    expect([two, three, four].map(({ operations }) => newMessages(operations))).toEqual([0, 0, 0]);
    await four.session.dispose();
  });

  it('agents K7 counts in another tab, whose call settles from the log also after the writer left', async () => {
    const { clock, open } = world();
    const writer = await open([stall()]);
    const follower = await open([say('Told.')]);
    const first = codeOf(give(writer.session));
    await clock.advance(0);
    const again = give(follower.session);
    await clock.advance(100);
    expect(follower.session.isRunning.value).toBe(true);
    // No other operation of the log names the call as its cause.
    writer.session.configure({ role: 'Another.' });
    void writer.session.enqueue('B');
    await clock.advance(100);
    expect(writer.operations.filter(({ type }) => type === 'commandBegan')).toEqual([]);
    await writer.session.dispose({ turn: 'leave' });
    expect(await first).toBe('disposed');
    await clock.advance(100);
    await follower.session.resume();
    expect(await again).toBe('completed');
    expect(await give(follower.session)).toBe('completed');
    expect(newMessages(writer.operations)).toBe(1);
    expect(newMessages(follower.operations)).toBe(1);
    expect(follower.session.turns.value).toHaveLength(1);
    await follower.session.dispose();
  });

  it('agents K7 counts again after a log ended between the message and its turn, until the message is removed', async () => {
    await using f = fixture([say('1')]);
    void give(f.session);
    await f.clock.runAll();
    const { operations } = f.observed;
    const end = operations.findIndex(({ type }) => type === 'dequeued');
    const records = recordsOf([operations.slice(0, end + 1)]);
    const one = createSession([say('1')], { restored: { snapshot: null, records } });
    await opened(one.session);
    const again = give(one.session);
    await settle();
    await one.session.dequeue(id);
    expect([await again, await give(one.session)]).toEqual(['cancelled', 'cancelled']);
    expect(checkOrder([...operations.slice(0, end + 1), ...one.operations])).toEqual([]);
    await one.session.dispose();
  });

  it('agents K7 folds to the state of the session: as a mirror, in the stored form, in a snapshot, and with a tail', async () => {
    await using f = fixture([say('1'), stall()]);
    void f.session.send('A');
    void give(f.session);
    void f.session.enqueue('B', { id: 'task/2' });
    void f.session.enqueue('C', { id: 'task/3' });
    await settle();
    await f.session.dequeue('task/3');
    await f.clock.advance(0);
    const { operations } = f.observed;
    const { state } = f.session;
    const stored = { operations: JSON.parse(JSON.stringify(toStored(operations))) as Operation[] };
    expect(fold(initialState(), fromStored(initialState(), stored))).toEqual(state);
    const mirror = createMirror(initialState());
    mirror.fold(operations);
    expect(mirror.state).toEqual(state);
    for (let cut = 0; cut <= operations.length; cut++) {
      const before = fold(initialState(), operations.slice(0, cut));
      const { state: read } = readLog({ snapshot: savedState(before), records: [] });
      expect(fold(read, operations.slice(cut)).fold).toEqual(state.fold);
    }
    const restored = { snapshot: savedState(state), records: [] };
    const one = createSession([], { restored });
    await opened(one.session);
    expect(await one.session.enqueue('C', { id: 'task/3' })).toBe('cancelled');
    void one.session.enqueue('B', { id: 'task/2' }).catch(() => {});
    await settle();
    expect(one.session.queue.value.map((item) => item.id)).toEqual(['task/2']);
    await one.session.dispose();
    await f.session.cancel();
  });

  it('agents K7 counts in the log that has the message alone: a saved conversation and an import have no ids', async () => {
    await using f = fixture([say('1')]);
    void give(f.session);
    await f.clock.runAll();
    const saved = createSession([say('2')], { conversation: f.session.save() });
    await opened(saved.session);
    const snapshot = savedState(importedState(f.session.state));
    const imported = createSession([say('2')], { restored: { snapshot, records: [] } });
    await opened(imported.session);
    for (const { session, clock } of [saved, imported]) {
      const next = give(session);
      await clock.runAll();
      expect(await next).toBe('completed');
      expect(session.turns.value).toHaveLength(2);
      await session.dispose();
    }
  });
});

describe('agents T5 the source of a message', () => {
  const from = { task: 'chat-1/task/1' };

  it('agents T5 is in the queue and in the record of the turn, also after a retry and a regenerate, but not after an edit', async () => {
    await using f = fixture([say('1'), fail('auth'), say('2'), say('3'), say('4')]);
    void f.session.send('A');
    const source = { ...from };
    const queued = rejection(f.session.enqueue('Done', { id, from: source }));
    source.task = 'another';
    await settle();
    expect(f.session.queue.value).toEqual([{ id, input: 'Done', steering: false, from }]);
    await f.session.requeue(id, { before: null });
    await f.clock.runAll();
    await queued;
    await f.session.retry();
    await f.session.regenerate();
    const [plain, told] = f.session.turns.value;
    expect([plain!.from, told!.from]).toEqual([undefined, from]);
    await f.session.edit(told!.id, 'My words');
    expect(f.session.turns.value[1]).not.toHaveProperty('from');
    const started = f.observed.operations.flatMap((one) => (one.type === 'turnStarted' ? [one.from] : []));
    expect(started).toEqual([undefined, from, from, from, undefined]);
    expect(fold(initialState(), f.observed.operations)).toEqual(f.session.state);
  });

  it('agents T5 is in the record of a message that starts at once', async () => {
    await using f = fixture([say('1')]);
    expect(await f.session.enqueue('Done', { from })).toBe('completed');
    expect(f.session.turns.value[0]!.from).toEqual(from);
  });

  it('agents T5 comes from another tab, and is kept by the log, a saved conversation and an import', async () => {
    const { clock, open } = world();
    const answers = () => [say('1'), stall()];
    const writer = await open(answers());
    const follower = await open(answers());
    const told = follower.session.enqueue('Done', { id, from });
    await clock.advance(100);
    expect(await told).toBe('completed');
    void writer.session.send('A').catch(() => {});
    void follower.session.enqueue('Done', { id: 'task/2', from }).catch(() => {});
    await clock.advance(100);
    const { state } = writer.session;
    const { state: read } = readLog({ snapshot: savedState(state), records: [] });
    for (const one of [state, follower.session.state, read, importedState(state)]) {
      expect(one.turns[0]!.from).toEqual(from);
      expect(one.queue).toEqual([{ id: 'task/2', input: 'Done', steering: false, from }]);
    }
    const saved = createSession([], { conversation: writer.session.save() });
    await opened(saved.session);
    expect(saved.session.turns.value[0]!.from).toEqual(from);
    for (const { session } of [follower, writer, saved]) await session.dispose();
  });
});
