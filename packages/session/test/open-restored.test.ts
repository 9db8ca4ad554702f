// A session continues a log that the app has loaded.
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { callTools, checkOrder, say, settle, stall } from '@banister/testing';
import {
  createAgentSession,
  effect,
  type Operation,
  type SavedConversation,
  type SessionState,
} from '@banister/session';
import { fold, initialState, isTerminal } from '@banister/session/operations';
import { type LogRecord, savedState } from '@banister/session/log';
import { propertyRun } from '../../../test/kit/property-run.js';
import { dataBoard } from './data-board.js';
import { rejection } from './fixture.js';
import { codeOf, createSession, opened, recordsOf } from './opened.js';

/** The writes of a session with two turns, one of which was undone. */
async function recordedChat(): Promise<{ writes: readonly (readonly Operation[])[]; state: SessionState }> {
  const writes: (readonly Operation[])[] = [];
  const board = dataBoard();
  const { session } = createSession(
    [
      callTools('Adding. ', { tool: 'board.add', args: { title: 'Plan' } }),
      say('Done.'),
      say(['Hel', 'lo.']),
    ],
    {
      domains: [board.domain()],
      ports: { journal: { write: (operations) => void writes.push(operations) } },
    },
  );
  await session.send('Add a card');
  await session.send('Greet me');
  await session.undo();
  const { state } = session;
  await settle();
  await session.dispose();
  return { writes: writes.filter((write) => write[0]!.type !== 'disposed'), state };
}

const chat = await recordedChat();
const records = () => recordsOf(chat.writes);

const withoutNumber = ({ sequence: _sequence, ...state }: SessionState) => state;

describe('a session that continues a log', () => {
  it('the session is there at once, and then has the state of the log', async () => {
    const { session } = createSession([], {
      domains: [dataBoard().domain()],
      restored: { snapshot: null, records: records() },
    });
    expect(session.link.value).toEqual({ role: 'writer', open: false, saved: true });
    expect(session.state).toEqual(initialState());
    await opened(session);
    expect(session.link.value).toEqual({ role: 'writer', open: true, saved: true });
    expect(withoutNumber(session.state)).toEqual(withoutNumber(chat.state));
    expect(session.turns.value).toEqual(chat.state.turns);
    await session.dispose();
  });

  it('emits ownerChanged first, with the next epoch, and goes on counting', async () => {
    const { session, operations } = createSession([say('Again.')], {
      restored: { snapshot: null, records: recordsOf(chat.writes, 7) },
    });
    await opened(session);
    const { sequence } = chat.state;
    expect(operations).toMatchObject([
      { type: 'ownerChanged', sequence: sequence + 1, epoch: 8, reason: 'opened' },
    ]);
    await session.send('And again');
    expect(operations.map((operation) => operation.sequence)).toEqual(
      operations.map((_operation, index) => sequence + 1 + index),
    );
    expect(session.state.sequence).toBe(operations.at(-1)!.sequence);
    expect(session.turns.value).toHaveLength(3);
    expect(checkOrder(operations)).toEqual([]);
    await session.dispose();
  });

  it('`revertible` lists the effects that the session has code for', async () => {
    const board = dataBoard();
    const withTool = createSession([], {
      domains: [board.domain()],
      restored: { snapshot: null, records: records() },
    });
    const without = createSession([], { restored: { snapshot: null, records: records() } });
    await Promise.all([opened(withTool.session), opened(without.session)]);
    expect(withTool.operations).toMatchObject([{ revertible: [{ step: 1 }] }]);
    expect(without.operations).toMatchObject([{ revertible: [] }]);
    await Promise.all([withTool.session.dispose(), without.session.dispose()]);
  });

  it('a snapshot and the records after it give the same state as all records', async () => {
    const half = Math.floor(chat.writes.length / 2);
    const before = fold(
      initialState(),
      records()
        .slice(0, half)
        .flatMap(({ operations }) => operations),
    );
    const copy = () => JSON.parse(JSON.stringify(savedState(before))) as SavedConversation;
    const whole = createSession([], { restored: { snapshot: null, records: records() } });
    const rest = createSession([], { restored: { snapshot: copy(), records: records().slice(half) } });
    const overlapping = createSession([], {
      restored: { snapshot: copy(), records: records() },
    });
    for (const { session } of [whole, rest, overlapping]) await opened(session);
    expect(rest.session.state).toEqual(whole.session.state);
    expect(overlapping.session.state).toEqual(whole.session.state);
    for (const { session } of [whole, rest, overlapping]) await session.dispose();
  });

  it('is ready for turns with an empty log', async () => {
    const { session, operations } = createSession([say('Hello.')], {
      restored: { snapshot: null, records: [] },
    });
    expect((await session.send('Hi')).text).toBe('Hello.');
    expect(operations.slice(0, 2)).toMatchObject([
      { type: 'ownerChanged', epoch: 1 },
      { type: 'turnStarted' },
    ]);
    await session.dispose();
  });

  it('publishes the log once', async () => {
    const { session } = createSession([], { restored: { snapshot: null, records: records() } });
    const seen: number[] = [];
    const stop = effect(() => void seen.push(session.turns.value.length));
    await opened(session);
    expect(seen).toEqual([0, 2]);
    stop();
    await session.dispose();
  });

  it('refuses a conversation beside the log, and a value that is no log', () => {
    const { provider, session } = createSession([]);
    const restored = { snapshot: null, records: [] };
    const conversation = session.save();
    expect(() => createAgentSession({ provider, restored, conversation })).toThrow('only one of the options');
    expect(() => createAgentSession({ provider, restored: {} as never })).toThrow(
      'restored.records: it is no list',
    );
    expect(() => createAgentSession({ provider, restored: null as never })).toThrow(
      'restored: it is no object',
    );
  });
});

describe('until the log is open', () => {
  const restored = () => ({ snapshot: null, records: records() });

  it('a `send` before the opening is shown with its message and without an operation, and starts behind `ownerChanged`', async () => {
    const { session, operations } = createSession([say('Hello.')], { restored: restored() });
    const phases: unknown[] = [];
    const stop = effect(() => void phases.push([session.isRunning.value, session.phase.value]));
    const answer = session.send('Hi');
    expect(session.state).toMatchObject({ isRunning: true, phase: 'preparing', sequence: 0 });
    const { id, input } = session.liveTurn.value!;
    expect(input.parts).toEqual([{ type: 'text', text: 'Hi' }]);
    expect(operations).toEqual([]);
    session.operations$.subscribe(({ type }) => {
      if (type === 'ownerChanged')
        expect(session.state).toMatchObject({ isRunning: true, phase: 'preparing' });
    });
    expect((await answer).text).toBe('Hello.');
    expect(operations.slice(0, 2)).toMatchObject([
      { type: 'ownerChanged' },
      { type: 'turnStarted', parentId: chat.state.headTurnId, turnId: id, input },
    ]);
    expect(phases.slice(0, 3)).toEqual([
      [false, 'idle'],
      [true, 'preparing'],
      [true, 'streaming'],
    ]);
    expect(phases.at(-1)).toEqual([false, 'idle']);
    stop();
    await session.dispose();
  });

  it('the pre-flight errors of a send are at once', async () => {
    const { session, operations } = createSession([say('Hello.')], { restored: restored() });
    const empty = codeOf(session.send(''));
    expect(session.isRunning.value).toBe(false);
    const answer = session.send('Hi');
    const second = codeOf(session.send('Once more'));
    expect(await Promise.all([empty, second])).toEqual(['invalid-input', 'already-running']);
    await answer;
    expect(operations.filter(({ type }) => type === 'turnStarted')).toHaveLength(1);
    await session.dispose();
  });

  it('turn$ is shown and started in the same way, and its unsubscription ends it: it is recorded when the log is open', async () => {
    const { session, operations } = createSession([say('Hello.')], { restored: restored() });
    session.turn$('One').subscribe().unsubscribe();
    expect(session.state).toMatchObject({ isRunning: false, phase: 'idle' });
    const types: string[] = [];
    await new Promise<void>((resolve, reject) => {
      session
        .turn$('Two')
        .subscribe({ next: ({ type }) => types.push(type), complete: resolve, error: reject });
      expect(session.isRunning.value).toBe(true);
    });
    expect([types[0], types.at(-1)]).toEqual(['turnStarted', 'completed']);
    expect(operations.filter(isTerminal).map(({ type }) => type)).toEqual(['cancelled', 'completed']);
    await session.dispose();
  });

  it('a cancel and an aborted signal end the shown turn as cancelled: it is shown as ended, and recorded when the log is open', async () => {
    const { session, operations } = createSession([], { restored: restored() });
    const first = codeOf(session.send('Hi'));
    const cancelled = session.cancel();
    expect(session.state).toMatchObject({ isRunning: false, phase: 'idle' });
    const aborter = new AbortController();
    const second = codeOf(session.send('Hi', { signal: aborter.signal }));
    aborter.abort();
    expect(session.isRunning.value).toBe(false);
    expect(operations).toEqual([]);
    const shown = session.turns.value;
    expect(await cancelled).toMatchObject({ landed: 'preparing', cancelled: true });
    expect([await first, await second]).toEqual(['cancelled', 'cancelled']);
    expect(shown.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    await opened(session);
    expect(operations.filter(isTerminal).map(({ type }) => type)).toEqual(['cancelled', 'cancelled']);
    expect(session.turns.value.map(({ id }) => id)).toEqual([
      ...chat.state.turns.map(({ id }) => id),
      ...shown.map(({ id }) => id),
    ]);
    expect(checkOrder(operations)).toEqual([]);
    await session.dispose();
  });

  it('the other commands wait for it, and concern the log', async () => {
    const { session, operations } = createSession([say('Hello.')], { restored: restored() });
    const retry = codeOf(session.retry());
    const answer = session.respond('unknown', { approve: true });
    const cancelled = session.cancel();
    session.configure({ role: 'You are brief.' });
    expect(operations).toEqual([]);
    expect(await retry).toBe('nothing-to-retry');
    expect(await answer).toBe('already-settled');
    expect(await cancelled).toMatchObject({ landed: 'idle', cancelled: false });
    expect(operations.map(({ type }) => type)).toEqual(['ownerChanged', 'configured']);
    await session.dispose();
  });

  it('a disposal ends it: commands reject, and no operation is emitted', async () => {
    const { session, operations, clock } = createSession([], { restored: restored() });
    const completed = new Promise<void>((resolve) => session.operations$.subscribe({ complete: resolve }));
    const sent = codeOf(session.send('Hi'));
    const undone = codeOf(session.undo());
    await session.dispose();
    await completed;
    expect([await sent, await undone]).toEqual(['cancelled', 'disposed']);
    expect(await codeOf(session.send('Hi'))).toBe('disposed');
    await settle();
    expect(operations).toEqual([]);
    expect(session.link.value.open).toBe(false);
    expect(clock.pending).toBe(0);
  });
});

describe('a log that cannot be read to its end', () => {
  const withRecord = (index: number, change: (record: LogRecord) => unknown) =>
    records().map((record, position) => (position === index ? change(record) : record)) as LogRecord[];
  const last = () => records().length - 1;
  const upTo = (index: number) =>
    fold(
      initialState(),
      records()
        .slice(0, index)
        .flatMap(({ operations }) => operations),
    );

  it('is shown up to the record of a newer release, and cannot be changed', async () => {
    const { session, operations, reported } = createSession([], {
      restored: { snapshot: null, records: withRecord(last(), (record) => ({ ...record, version: 3 })) },
    });
    const sent = session.send('Hi');
    await opened(session);
    expect(session.link.value).toEqual({ role: 'read-only', open: true, saved: true });
    expect(session.state).toEqual(upTo(last()));
    const error = await rejection(sent);
    expect(error).toMatchObject({ code: 'unsupported', details: { version: 3, supported: 2 } });
    for (const command of [
      session.undo(),
      session.redo(),
      session.retry(),
      session.cancel(),
      session.send('Hi'),
    ])
      expect(await rejection(command)).toBe(error);
    expect(operations).toEqual([]);
    expect(reported).toEqual([error]);
    await session.dispose();
    expect(operations).toEqual([]);
  });

  it.each([
    ['is no object', () => null],
    ['has no version', ({ version: _version, ...record }: LogRecord) => record],
    ['has no operations', (record: LogRecord) => ({ ...record, operations: 'none' })],
    ['has an operation that is none', (record: LogRecord) => ({ ...record, operations: [7] })],
    [
      'has an operation without a number',
      (record: LogRecord) => ({ ...record, operations: [{ type: 'text' }] }),
    ],
    ['does not follow the one before', (record: LogRecord) => ({ ...record, revision: record.revision + 1 })],
    [
      'lacks its first operation',
      (record: LogRecord) => ({ ...record, operations: record.operations.slice(1) }),
    ],
    [
      'has operations that cannot be folded',
      (record: LogRecord) => ({
        ...record,
        operations: record.operations.map(({ sequence, at }) => ({
          type: 'undone',
          sequence,
          at,
          target: 1,
        })),
      }),
    ],
  ])('is shown up to a record that %s', async (_name, damage) => {
    const { session, reported } = createSession([], {
      restored: { snapshot: null, records: withRecord(2, damage) },
    });
    await opened(session);
    expect(session.link.value.role).toBe('read-only');
    expect(session.state).toEqual(upTo(2));
    expect(await rejection(session.send('Hi'))).toMatchObject({
      code: 'storage',
      details: { reason: 'damaged' },
    });
    expect(reported).toHaveLength(1);
    await session.dispose();
  });

  it.each([
    ['a text', 'x'],
    ['a state without a version', { turns: [] }],
    ['a state with a field of another type', { ...savedState(initialState()), turns: {} }],
    [
      'a state with another field of another type',
      { ...savedState(initialState()), session: { queue: {}, fold: {} } },
    ],
    [
      'a state with a note of another type',
      { ...savedState(initialState()), session: { fold: { moves: 1 } } },
    ],
  ])('is empty if its snapshot is %s', async (_name, snapshot) => {
    const { session } = createSession([], {
      restored: { snapshot: snapshot as SavedConversation, records: [] },
    });
    await opened(session);
    expect(session.state).toEqual(initialState());
    expect(await rejection(session.send('Hi'))).toMatchObject({
      code: 'storage',
      details: { reason: 'damaged' },
    });
    await session.dispose();
  });
});

describe('a log that was cut', () => {
  it('shows a turn that was running as interrupted', async () => {
    const writes: (readonly Operation[])[] = [];
    const first = createSession([stall('Hello, ')], {
      ports: { journal: { write: (operations) => void writes.push(operations) } },
    });
    void first.session.send('Hi');
    await settle();
    await first.clock.advance(100);
    const { session } = createSession([], { restored: { snapshot: null, records: recordsOf(writes) } });
    await opened(session);
    expect(session.state).toMatchObject({ isRunning: false, phase: 'idle', interrupted: { at: 'stream' } });
    expect(session.liveTurn.value).toEqual(first.session.liveTurn.value);
    await first.session.dispose();
    await session.dispose();
  });

  it('a log that was cut gives the state of its records, wherever it was cut', async () => {
    const property = fc.asyncProperty(fc.nat(chat.writes.length), async (cut) => {
      const kept = records().slice(0, cut);
      const { session, operations } = createSession([], { restored: { snapshot: null, records: kept } });
      await opened(session);
      const folded = fold(
        initialState(),
        kept.flatMap((record) => record.operations),
      );
      expect(session.state).toEqual(fold(folded, operations));
      expect(operations.map(({ type }) => type)).toEqual(['ownerChanged']);
      expect(session.state.isRunning).toBe(false);
      await session.dispose();
    });
    await fc.assert(property, propertyRun('cut logs', 100));
  });
});
