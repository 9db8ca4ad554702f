// A follower whose log gives it records that are missing, twice, in another order, or of another owner.
import { expect, it } from 'vitest';
import {
  callTools,
  createVirtualClock,
  gate,
  memoryLog,
  say,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import type { SessionLog } from '@banister/session';
import { toStored } from '@banister/session/operations';
import { type LogRecord, savedState } from '@banister/session/log';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { rejection } from './fixture.js';
import { createSession, opened } from './opened.js';

const id = 'chat-1';

/** A writer and a follower. `given` returns the records that the follower gets in place of one of the log. */
async function world(
  given: (record: LogRecord, index: number) => readonly LogRecord[],
  answers: readonly AnswerSource[] = [callTools('One. ', addCard('A')), say(['He', 'llo.']), stall('More')],
) {
  const clock = createVirtualClock(1_000);
  const inner = memoryLog({ clock });
  let tails = 0;
  const log: SessionLog = {
    ...inner,
    async *tail(id, after, signal) {
      const isFirst = tails++ === 0;
      let index = 0;
      for await (const record of inner.tail(id, after, signal))
        yield* isFirst ? given(record, index++) : [record];
    },
  };
  const board = dataBoard();
  const options = { id, log: inner, domains: [board.domain()] };
  const writer = createSession(answers, options, clock);
  await opened(writer.session);
  const follower = createSession([], { ...options, log }, clock);
  await opened(follower.session);
  /** Sends the messages of the writer, and waits until the follower has read the log again where it has to. */
  const play = async () => {
    await writer.session.send('Add A');
    void writer.session.send('More');
    await settle();
    await clock.advance(1_100);
  };
  const close = async () => {
    await follower.session.dispose();
    await writer.session.dispose();
    expect(clock.pending).toBe(0);
  };
  return { writer, follower, play, close, clock };
}

it('a record that arrives again changes nothing', async () => {
  const before: LogRecord[] = [];
  const { writer, follower, play, close } = await world((record) => {
    before.push(record);
    return [record, record, before[0]!];
  });
  await play();
  expect(follower.session.state).toEqual(writer.session.state);
  expect(follower.session.link.value.role).toBe('follower');
  const numbers = follower.operations.map(({ sequence }) => sequence);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  await close();
});

it.each([0, 1, 2, 3, 4, 5, 6])('reads the log again if record %i of the tail is missing', async (lost) => {
  const { writer, follower, play, close } = await world((record, index) => (index === lost ? [] : [record]));
  await play();
  expect(follower.session.state).toEqual(writer.session.state);
  expect(follower.session.link.value.role).toBe('follower');
  await close();
});

it('reads the log again if only text is missing', async () => {
  let isLost = false;
  const isText = ({ operations }: LogRecord) => operations.every(({ type }) => type === 'text');
  const more = [gate(), gate()];
  const { writer, follower, close, clock } = await world(
    (record) => {
      if (isLost || !isText(record)) return [record];
      isLost = true;
      return [];
    },
    [say(['One. ', more[0]!, 'Two. ', more[1]!, 'Three.'])],
  );
  const sent = writer.session.send('Go');
  for (const one of more) {
    await settle();
    await clock.advance(100);
    one.open();
  }
  await sent;
  await clock.advance(1_100);
  expect(isLost).toBe(true);
  expect(follower.session.state).toEqual(writer.session.state);
  await close();
});

it('reads the log again if two records arrive in the wrong order', async () => {
  let held: LogRecord | null = null;
  const { writer, follower, play, close } = await world((record, index) => {
    if (index === 2) {
      held = record;
      return [];
    }
    return held !== null && index === 3 ? [record, held] : [record];
  });
  await play();
  expect(follower.session.state).toEqual(writer.session.state);
  expect(follower.session.link.value.role).toBe('follower');
  await close();
});

it('a follower is read-only after a record of a replaced owner', async () => {
  const { writer, follower, play, close } = await world((record, index) =>
    index < 3 ? [record] : [{ ...record, epoch: 0 }],
  );
  await play();
  expect(follower.session.link.value.role).toBe('read-only');
  expect(await rejection(follower.session.send('Hi'))).toMatchObject({
    code: 'storage',
    details: { reason: 'damaged' },
  });
  expect(follower.session.state.sequence).toBeLessThan(writer.session.state.sequence);
  await close();
});

it('reads the log again at once if a snapshot has replaced the next record', async () => {
  const clock = createVirtualClock(1_000);
  const log = memoryLog({ clock });
  const lease = await log.claim(id, 'writer', 60_000);
  const next = gate();
  const slow: SessionLog = {
    ...log,
    async *tail(...args) {
      await next.pass();
      yield* log.tail(...args);
    },
  };
  const writer = createSession([say('One.')], {}, clock);
  await writer.session.send('1');
  const operations = toStored(writer.operations);
  const follower = createSession([], { id, log: slow }, clock);
  await opened(follower.session);
  const record = { version: 1, revision: 1, epoch: lease.epoch, operations };
  await log.append(lease, record, { barrier: true });
  await log.snapshot(lease, 1, savedState(writer.session.state));
  next.open();
  await settle();
  expect(follower.session.turns.value).toEqual(writer.session.turns.value);
  await follower.session.dispose();
});

it.each([
  ['was removed while it follows', 'removed'],
  ['was cleared when it takes over', 'evicted'],
])('keeps its state if the log %s, and shows that it is not saved', async (_moment, reason) => {
  const clock = createVirtualClock(1_000);
  let isCleared = false;
  const inner = memoryLog({ clock });
  const log: SessionLog = {
    ...inner,
    // The browser clears without a word: readers that wait go on waiting.
    async load(name) {
      if (!isCleared) return inner.load(name);
      return { snapshot: null, revision: 0, records: [] };
    },
  };
  const writer = createSession([say('One.')], { id, log }, clock);
  await opened(writer.session);
  await writer.session.send('1');
  const follower = createSession([], { id, log }, clock);
  await opened(follower.session);
  await settle();
  const { turns } = follower.session.state;
  expect(turns).toHaveLength(1);
  if (reason === 'removed') await inner.remove(id);
  else {
    isCleared = true;
    await writer.session.dispose();
  }
  await settle();
  expect(follower.session.state.turns).toEqual(turns);
  expect(follower.session.link.value).toEqual({ role: 'read-only', open: true, saved: false });
  expect(follower.reported).toMatchObject([{ code: 'storage', details: { reason } }]);
  expect(await rejection(follower.session.send('2'))).toMatchObject({ details: { reason } });
  await follower.session.dispose();
  await writer.session.dispose();
});
