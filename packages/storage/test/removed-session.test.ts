// A conversation is removed from its log while sessions have it open.
import type { SessionLog } from '@banister/session';
import { callTools, memoryLog, say, stall } from '@banister/testing';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { eachLog, newLog } from './each-log.js';
import { removeFiles } from './temporary-folder.js';
import { makePage, opened, turn } from './faulty-turns.js';

afterAll(removeFiles);

const patience = { timeout: 30_000 };
const id = 'chat-42';
const removed = { code: 'storage', retry: 'never', details: { reason: 'removed' } };
const gone = { role: 'read-only', open: true, saved: false };
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    (error: unknown) => error,
  );

/** Every log. Each function returns a new connection to the log with the given number. */
const shared = new Map<number, SessionLog>();
const logs: typeof eachLog = [
  [
    'memoryLog',
    (number) => {
      const log = shared.get(number) ?? memoryLog();
      shared.set(number, log);
      return log;
    },
  ],
  ...eachLog,
];

describe.each(logs)('a conversation that is removed from %s while it is open', (name, connect) => {
  /** A session after one turn, and a connection of another page. */
  async function begun(answers: Parameters<ReturnType<typeof makePage>['open']>[1] = []) {
    const number = newLog();
    const page = makePage();
    const session = await opened(page.open(connect(number), [...turn(), ...answers]));
    await session.send('Add Plan');
    return { page, session, log: connect(number), connect: () => connect(number) };
  }

  const isEmpty = async (log: SessionLog) => {
    expect(await log.load(id)).toEqual({ snapshot: null, revision: 0, records: [] });
    expect(await log.list()).toEqual([]);
  };

  test('is still shown, with the reason, and nothing is stored after the removal', async () => {
    const { page, session, log } = await begun();
    const { turns } = session.state;
    await log.remove(id);
    const error = await refusal(session.send('And now?'));
    expect(error).toMatchObject(removed);
    expect((error as Error).message).toContain('was removed');
    expect(session.link.value).toEqual(gone);
    expect(session.state.turns.slice(0, 1)).toEqual(turns);
    expect(session.state.isRunning).toBe(false);
    expect(page.errors).toMatchObject([removed]);
    expect(await refusal(session.send('Again?'))).toMatchObject(removed);
    expect(await refusal(session.undo())).toMatchObject(removed);
    await session.dispose();
    await isEmpty(log);
  });

  test('an idle session notices that its conversation was removed; it can be exported', async () => {
    const { session, page, log } = await begun();
    const { conversation } = session.state;
    await log.remove(id);
    await vi.waitFor(() => expect(session.link.value).toEqual(gone), patience);
    expect(session.state.conversation).toEqual(conversation);
    const saved = session.save();
    await session.dispose();
    await isEmpty(log);
    const copy = page.open(log, [], {}, { id: undefined, log: undefined, conversation: saved });
    expect(copy.turns.value).toHaveLength(1);
    expect((await copy.undo()).done).toMatchObject([{ description: 'Added Plan' }]);
    await copy.dispose();
  });

  test('a turn whose conversation is removed is cut, and nothing is reverted', async () => {
    const { page, session, log } = await begun([
      callTools({ tool: 'board.add', args: { title: 'B' } }),
      stall('Now'),
    ]);
    const sent = refusal(session.send('Add B'));
    await vi.waitUntil(() => session.currentText.value === 'Now', patience);
    await log.remove(id);
    expect(await sent).toMatchObject(removed);
    expect(session.link.value).toEqual(gone);
    expect([session.isRunning.value, session.phase.value]).toEqual([false, 'idle']);
    expect(session.interrupted.value).toMatchObject({ at: 'stream' });
    expect([...page.cards]).toEqual(['Plan', 'B']);
    expect(await refusal(session.resume())).toMatchObject(removed);
    await session.dispose();
    await isEmpty(log);
  });

  test('a follower shows the removal, its waiting commands reject, and it does not begin the conversation again', async () => {
    const { page, session, log, connect } = await begun([stall('Now')]);
    const sent = refusal(session.send('Wait'));
    const follower = await opened(page.open(connect(), [say('Anew.')]));
    await vi.waitUntil(() => follower.isRunning.value, patience);
    const queued = name === 'sqliteLog' ? null : refusal(follower.enqueue('Later'));
    await vi.waitUntil(() => queued === null || session.queue.value.length === 1, patience);
    await log.remove(id);
    expect(await sent).toMatchObject(removed);
    if (queued !== null) expect(await queued).toMatchObject(removed);
    await vi.waitFor(() => expect(follower.link.value).toEqual(gone), patience);
    expect([follower.isRunning.value, follower.turns.value.length]).toEqual([false, 1]);
    expect(await refusal(follower.send('Go on'))).toMatchObject(removed);
    await follower.dispose();
    await session.dispose();
    await isEmpty(log);
  });

  test('a session that is opened afterwards begins a new conversation, which the open session does not show', async () => {
    const { page, session, log, connect } = await begun();
    await log.remove(id);
    const next = await opened(page.open(connect(), [say('Anew.')]));
    expect([next.link.value.role, next.turns.value]).toEqual(['writer', []]);
    await next.send('Begin');
    expect(await refusal(session.send('Me too'))).toMatchObject(removed);
    expect(session.link.value).toEqual(gone);
    expect(session.turns.value).toHaveLength(1);
    await session.dispose();
    expect(next.turns.value).toHaveLength(1);
    await next.dispose();
  });

  test('a reader that waits for its next record gets the error', async () => {
    const log = connect(newLog());
    const lease = await log.claim(id, 'test', 60_000);
    const record = { version: 1, revision: 1, epoch: lease.epoch, operations: [] };
    await log.append(lease, record, { barrier: true });
    const tail = log.tail(id, 0, new AbortController().signal)[Symbol.asyncIterator]();
    await tail.next();
    const next = refusal(tail.next());
    await log.remove(id);
    expect(await next).toMatchObject(removed);
  });

  test('a reader that has read nothing continues with the next conversation', async () => {
    const log = connect(newLog());
    await log.claim(id, 'test', 60_000);
    const tail = log.tail(id, 0, new AbortController().signal)[Symbol.asyncIterator]();
    const first = tail.next();
    await log.remove(id);
    const lease = await log.claim(id, 'test', 60_000);
    const record = { version: 1, revision: 1, epoch: lease.epoch, operations: [] };
    await log.append(lease, record, { barrier: true });
    expect((await first).value).toEqual(record);
    await tail.return!();
  });
});
