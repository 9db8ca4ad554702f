// Many sessions that follow one log, some of them slow or late.
import { expect, it } from 'vitest';
import fc from 'fast-check';
import { callTools, createVirtualClock, gate, memoryLog, say, settle } from '@banister/testing';
import { confirmTools, type SessionLog } from '@banister/session';
import type { LogRecord } from '@banister/session/log';
import { propertyRun } from '../../../test/kit/property-run.js';
import { sampleSize } from '../../../test/kit/sample-size.js';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { createSession, opened } from './opened.js';

const id = 'chat-1';

it('F8 when several tabs answer one question at once, only one answer counts, and all tabs get the outcome', async () => {
  const clock = createVirtualClock(1_000);
  const log = memoryLog({ clock });
  const board = dataBoard();
  const options = { id, log, domains: [board.domain()], guards: [confirmTools('board.add')] };
  const writer = createSession([callTools('', addCard('A')), say('Done.')], options, clock);
  await opened(writer.session);
  const all = [writer, createSession([], options, clock), createSession([], options, clock)];
  for (const { session } of all) await opened(session);
  const sent = writer.session.send('Add A');
  await clock.advance(100);
  const questions = all.map(({ session }) => session.pendingConfirmation.value!);
  const outcomes = await Promise.all([
    questions[1]!.approve(),
    questions[2]!.deny('No.'),
    questions[0]!.deny('No.'),
    questions[1]!.approve(),
  ]);
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'already-settled')).toHaveLength(3);
  expect((await sent).text).toBe('Done.');
  await clock.advance(100);
  for (const { session, operations } of all) {
    expect(operations.filter(({ type }) => type === 'confirmationResolved')).toHaveLength(1);
    expect(session.pendingConfirmations.value).toEqual([]);
    expect(session.state).toEqual(writer.session.state);
  }
  for (const { session } of all.toReversed()) await session.dispose();
  expect(clock.pending).toBe(0);
});

it('F14 fifty followers, one of them slow, end with the same state', async () => {
  const count = sampleSize(10_000);
  const clock = createVirtualClock(1_000);
  const inner = memoryLog({ clock });
  const stuck = gate();
  let waiting = 0;
  /** A reader that stands still after its first records; the log keeps nothing for it but the records. */
  const slow: SessionLog = {
    ...inner,
    async *tail(...args) {
      let read = 0;
      for await (const record of inner.tail(...args)) {
        if (++read === 3) {
          waiting++;
          await stuck.pass();
        }
        yield record;
      }
    },
  };
  const writer = createSession(
    [say(Array.from({ length: count }, (_, index) => `${index} `))],
    { id, log: inner },
    clock,
  );
  await opened(writer.session);
  const followers = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const one = createSession([], { id, log: index === 0 ? slow : inner }, clock);
      await opened(one.session);
      return one;
    }),
  );
  await writer.session.send('Count');
  await clock.advance(100);
  expect(writer.operations.length).toBeGreaterThan(count);
  const [late, ...others] = followers;
  for (const { session } of others) expect(session.state).toEqual(writer.session.state);
  expect(waiting).toBe(1);
  expect(late!.session.turns.value).toEqual([]);
  stuck.open();
  await clock.advance(100);
  expect(late!.session.state).toEqual(writer.session.state);
  for (const { session } of [...followers, writer]) await session.dispose();
  expect(clock.pending).toBe(0);
});

it('a session that joins at any record has the state of the writer', async () => {
  const clock = createVirtualClock(1_000);
  const inner = memoryLog({ clock });
  const records: LogRecord[] = [];
  const snapshots: { revision: number; state: unknown }[] = [];
  const log: SessionLog = {
    ...inner,
    append: async (lease, record, options) => {
      await inner.append(lease, record, options);
      records.push(JSON.parse(JSON.stringify(record)) as LogRecord);
    },
    snapshot: async (lease, revision, state) => {
      await inner.snapshot(lease, revision, state);
      snapshots.push({ revision, state: JSON.parse(JSON.stringify(state)) as unknown });
    },
  };
  const board = dataBoard();
  const options = { id, log, domains: [board.domain()] };
  const answers = Array.from({ length: 12 }, (_, turn) => [
    callTools('Let me see. ', addCard(`Card ${turn}`)),
    say([`Answer ${turn}, `, 'x'.repeat(900), ' done.']),
  ]).flat();
  const writer = createSession(answers, options, clock);
  for (let turn = 0; turn < 12; turn++) await writer.session.send(`Message ${turn}`);
  await writer.session.undo();
  await settle();
  expect(snapshots.length).toBeGreaterThan(0);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: records.length }), fc.boolean(), async (joined, hasSnapshot) => {
      const base = hasSnapshot ? snapshots.findLast(({ revision }) => revision <= joined) : undefined;
      const rest = gate();
      const behind: SessionLog = {
        ...memoryLog({ clock }),
        claim: inner.claim,
        async load() {
          const snapshot = (base?.state ?? null) as never;
          return { snapshot, revision: joined, records: records.slice(base?.revision ?? 0, joined) };
        },
        async *tail(_id, after, signal) {
          await rest.pass();
          for (const record of records.slice(after)) if (!signal.aborted) yield structuredClone(record);
        },
      };
      const reader = createSession([], { ...options, log: behind }, clock);
      await opened(reader.session);
      rest.open();
      await settle(records.length * 20);
      expect(reader.session.state).toEqual(writer.session.state);
      await reader.session.dispose();
    }),
    propertyRun('joining a log', 1_000),
  );
  await writer.session.dispose();
});
