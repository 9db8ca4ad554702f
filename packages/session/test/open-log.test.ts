// A session that is kept in a log, alone.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  checkOrder,
  createVirtualClock,
  gate,
  memoryLog,
  say,
  scriptedProvider,
  settle,
  stall,
} from '@banister/testing';
import {
  createAgentSession,
  type SessionLog,
  type SessionOptions,
  type SavedConversation,
} from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { dataBoard } from './data-board.js';
import { rejection } from './fixture.js';
import { codeOf, createSession, linked, opened } from './opened.js';

const id = 'chat-1';

function world(replaced: (log: SessionLog) => Partial<SessionLog> = () => ({})) {
  const clock = createVirtualClock(1_000);
  const memory = memoryLog({ clock });
  // Without snapshots the log keeps every record, and the test reads all operations there.
  const inner: SessionLog = { ...memory, snapshot: async () => {} };
  const log = { ...inner, ...replaced(memory) };
  const open = (
    answers: Parameters<typeof createSession>[0] = [],
    options: Partial<SessionOptions> = {},
    on: SessionLog = log,
  ) => createSession(answers, { id, log: on, ...options }, clock);
  return { clock, log: inner, open };
}

const refused = () => Promise.reject(new Error('The disk is gone.'));
const never = () => new Promise<never>(() => {});

describe('a session in a log', () => {
  it('writes each operation in order, from ownerChanged on, in the stored form', async () => {
    const { log, open } = world();
    const { session, operations } = open([say(['At once: ', 'hel', 'lo.'])]);
    expect(session.link.value).toEqual({ role: 'writer', open: false, saved: true });
    await session.send('Hi');
    const { records } = await log.load(id);
    const stored = records.flatMap((record) => record.operations);
    expect(stored[0]).toMatchObject({ type: 'ownerChanged', sequence: 1, epoch: 1, reason: 'opened' });
    expect(stored.map(({ type }) => type).filter((type) => type === 'text')).toHaveLength(2);
    expect(fold(initialState(), stored)).toEqual(session.state);
    expect(checkOrder(operations)).toEqual([]);
    await session.dispose();
  });

  it('opening it again gives the same state', async () => {
    const { log, open } = world();
    const board = dataBoard();
    const domains = [board.domain()];
    const first = open([callTools('', { tool: 'board.add', args: { title: 'Plan' } }), say('Done.')], {
      domains,
    });
    await first.session.send('Add a card');
    const before = first.session.state;
    await first.session.dispose();
    const second = open([say('Again.')], { domains });
    await opened(second.session);
    expect({ ...second.session.state, sequence: 0 }).toEqual({ ...before, sequence: 0 });
    await second.session.send('And again');
    await second.session.undo({ force: true });
    expect(board.cards).toEqual([]);
    const { records } = await log.load(id);
    const stored = records.flatMap((record) => record.operations);
    expect(stored.filter(({ type }) => type === 'ownerChanged')).toHaveLength(2);
    expect(checkOrder(stored)).toEqual([]);
    await second.session.dispose();
  });

  it('shows a turn that the last session left as interrupted', async () => {
    const { open } = world();
    const first = open([stall('Hello, ')]);
    void first.session.send('Hi');
    await opened(first.session);
    await settle();
    await first.clock.advance(100);
    await first.session.dispose({ turn: 'leave' });
    const second = open();
    await opened(second.session);
    expect(second.session.state.interrupted).toMatchObject({ at: 'stream' });
    await second.session.abandon();
    expect(second.session.state).toMatchObject({ interrupted: null, lastOutcome: { status: 'failed' } });
    await second.session.dispose();
  });

  it('a send that is shown during the opening ends an interrupted turn first', async () => {
    const { open } = world();
    const first = open([stall('Hello, ')]);
    void first.session.send('Hi');
    await opened(first.session);
    await first.clock.advance(100);
    await first.session.dispose({ turn: 'leave' });
    const second = open([say('Here I am.')]);
    expect((await second.session.send('Once more')).text).toBe('Here I am.');
    expect(second.session.turns.value.map(({ status }) => status)).toEqual(['failed', 'completed']);
    await second.session.dispose();
  });

  it('the lease is renewed, and released by `dispose`', async () => {
    const { clock, log, open } = world();
    const { session } = open();
    await opened(session);
    await clock.advance(60_000);
    expect(await codeOf(log.claim(id, 'other', 1_000))).toBe('storage');
    await session.dispose();
    expect(clock.pending).toBe(0);
    const lease = await log.claim(id, 'other', 1_000);
    const { records } = await log.load(id);
    expect(records.at(-1)!.operations.map(({ type }) => type)).toEqual(['disposed']);
    expect(lease.epoch).toBe(2);
  });

  it('a snapshot is stored at the end of a turn, when the records outweigh the last one', async () => {
    const { log, open } = world(({ snapshot }) => ({ snapshot }));
    const { session } = open([say('a'), say('b'), say('c')]);
    const revisions: (SavedConversation | null)[] = [];
    for (const text of ['One', 'Two', 'Three']) {
      await session.send(text);
      await settle();
      revisions.push((await log.load(id)).snapshot);
    }
    expect(revisions.map((snapshot) => snapshot?.turns.length)).toEqual([undefined, 2, 2]);
    const before = session.state;
    await session.dispose();
    const second = open();
    await opened(second.session);
    expect(second.session.turns.value).toEqual(before.turns);
    await second.session.dispose();
  });

  it('refuses options that contradict each other', () => {
    const { log } = world();
    const provider = scriptedProvider([]);
    const create = (options: object) => () => createAgentSession({ provider, ...options });
    expect(create({ log })).toThrow('needs an id');
    expect(create({ id })).toThrow('needs the option log');
    expect(create({ id, log: {} })).toThrow('log.claim: it is no function');
    expect(create({ id, log, restored: { snapshot: null, records: [] } })).toThrow('only one of the options');
    expect(create({ id, log, ports: { journal: { write: () => {} } } })).toThrow('no port journal');
  });
});

describe('a log that cannot be opened', () => {
  it.each([
    ['that refuses the claim', () => ({ claim: refused })],
    ['that refuses to be read', () => ({ load: refused })],
  ] as const)('%s: the session runs in memory, and shows that it is not saved', async (_name, replaced) => {
    const { clock, log, open } = world(replaced);
    const { session, reported } = open([say('Hello.')]);
    expect((await session.send('Hi')).text).toBe('Hello.');
    expect(session.link.value).toEqual({ role: 'writer', open: true, saved: false });
    expect(session.state.turns).toHaveLength(1);
    expect(reported).toMatchObject([{ code: 'storage' }]);
    await session.dispose();
    expect((await log.load(id)).records).toEqual([]);
    expect(await log.claim(id, 'other', 1_000)).toMatchObject({ id });
    expect(clock.pending).toBe(0);
  });

  it('one whose answer a sleep of the page held back is open when the page wakes up', async () => {
    const answer = gate();
    const { clock, open } = world((inner) => ({
      load: async (name) => {
        await answer.pass();
        return inner.load(name);
      },
    }));
    let slept = 0;
    const now = () => clock.now() + slept;
    const { session, reported } = open([], { ports: { clock: { now, schedule: clock.schedule } } });
    await answer.reached;
    slept = 60_000;
    await clock.advance(5_000);
    answer.open();
    await opened(session);
    expect(session.link.value).toEqual({ role: 'writer', open: true, saved: true });
    expect(reported).toEqual([]);
    await session.dispose();
  });

  it('one that takes longer than 5 seconds is left alone, and its lease is released when it arrives', async () => {
    let answer!: () => void;
    const waits = new Promise<void>((resolve) => (answer = resolve));
    const { clock, log, open } = world((inner) => ({
      load: async (...args) => {
        await waits;
        return inner.load(...args);
      },
    }));
    const { session } = open([say('Hello.')]);
    const sent = session.send('Hi');
    await linked(session, { open: false });
    await openingSettled();
    await clock.advance(4_999);
    expect(session.link.value.open).toBe(false);
    expect(session.isRunning.value).toBe(true);
    await clock.advance(1);
    expect(session.link.value).toEqual({ role: 'writer', open: true, saved: false });
    expect((await sent).text).toBe('Hello.');
    answer();
    await settle();
    expect(await log.claim(id, 'other', 1_000)).toMatchObject({ id });
    await session.dispose();
    expect(clock.pending).toBe(0);
  });

  it('a log of a newer release is shown, and not changed', async () => {
    const { log, open } = world();
    const first = open([say('Hello.')]);
    await first.session.send('Hi');
    await first.session.dispose();
    const lease = await log.claim(id, 'newer', 1_000);
    const record = { version: 3, revision: lease.revision + 1, epoch: lease.epoch, operations: [] };
    await log.append(lease, record, { barrier: true });
    await log.release(lease);
    const { session, clock } = open();
    await opened(session);
    expect(session.link.value.role).toBe('read-only');
    expect(session.turns.value).toHaveLength(1);
    expect(await rejection(session.send('Hi'))).toMatchObject({
      code: 'unsupported',
      details: { version: 3 },
    });
    await session.dispose();
    expect(clock.pending).toBe(0);
    expect((await log.load(id)).revision).toBe(record.revision);
  });

  it('a write that is refused later is tried again, and shown meanwhile', async () => {
    let isBroken = false;
    const { log, open } = world((inner) => ({
      append: (...args) => (isBroken ? refused() : inner.append(...args)),
    }));
    const { session } = open([say('One.'), say('Two.'), say('Three.')]);
    await session.send('1');
    isBroken = true;
    expect(await codeOf(session.send('2'))).toBe('storage');
    expect(session.link.value.saved).toBe(false);
    isBroken = false;
    await session.send('3');
    await session.dispose();
    const { records } = await log.load(id);
    const numbers = records.flatMap((record) => record.operations.map(({ sequence }) => sequence));
    expect(numbers.at(-1)).toBe(session.state.sequence);
    expect(checkOrder(records.flatMap((record) => record.operations))).toEqual([]);
  });
});

describe('a disposal', () => {
  it.each([
    ['before the claim is answered', 'claim'],
    ['before the log is read', 'load'],
  ] as const)('%s leaves no lease, no timer and no operation', async (_name, method) => {
    let answer!: () => void;
    const waits = new Promise<void>((resolve) => (answer = resolve));
    const { clock, log, open } = world((inner) => ({
      [method]: async (...args: never[]) => {
        await waits;
        return (inner[method] as (...given: never[]) => Promise<unknown>)(...args);
      },
    }));
    const { session, operations } = open();
    const sent = codeOf(session.send('Hi'));
    await openingSettled();
    await session.dispose();
    expect(await sent).toBe('cancelled');
    expect(clock.pending).toBe(0);
    answer();
    await settle();
    expect(await log.claim(id, 'other', 1_000)).toMatchObject({ id });
    expect((await log.load(id)).records).toEqual([]);
    expect(operations).toEqual([]);
  });

  it('ends within 5 seconds with a log that does not answer any more', async () => {
    let isDeaf = false;
    const { clock, open } = world((inner) => ({
      append: (...args) => (isDeaf ? never() : inner.append(...args)),
    }));
    const { session } = open();
    await opened(session);
    await settle();
    isDeaf = true;
    let isDisposed = false;
    void session.dispose().then(() => (isDisposed = true));
    await clock.advance(10_000);
    expect(isDisposed).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

/** Resolves when the code of the opening is loaded and the work that it began has settled. */
async function openingSettled(): Promise<void> {
  await import('../src/session/log-chunk.js');
  await settle();
}
