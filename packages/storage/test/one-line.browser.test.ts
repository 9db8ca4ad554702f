// A session that is stored in the browser by one line of code, as a page uses it.
import { createAgentSession } from '@banister/session';
import { savedState } from '@banister/session/log';
import { initialState } from '@banister/session/operations';
import { indexedDbLog } from '@banister/storage';
import { createVirtualClock, say, scriptedProvider, stall } from '@banister/testing';
import { expect, test, vi } from 'vitest';
import { makePage, opened, turn } from './faulty-turns.js';

let count = 0;
const newName = () => `one-line-${++count}`;
const patience = { timeout: 30_000 };

/** Counts the page's transactions that write. */
function countWrites() {
  const spy = vi.spyOn(IDBDatabase.prototype, 'transaction');
  return () => spy.mock.calls.filter(([, mode]) => mode === 'readwrite').length;
}

test('a session with the option `log` is reopened with the same state, and continues', async () => {
  const name = newName();
  const page = makePage();
  const first = page.open(indexedDbLog({ name }), turn());
  const { text } = await first.send('Add Plan');
  expect(text).toBe('There it is.');
  const { turns, conversation, undoEntries } = first.state;
  await first.dispose();

  const second = await opened(page.open(indexedDbLog({ name }), [say('Good.')]));
  expect(second.state.turns).toEqual(turns);
  expect(second.state.conversation).toEqual(conversation);
  expect(second.state.undoEntries).toEqual(undoEntries);
  await second.undo();
  expect([...page.cards]).toEqual([]);
  expect((await second.send('Thanks')).text).toBe('Good.');
  await second.dispose();
  expect(page.errors).toEqual([]);
});

test('D4 a session whose log cannot be read runs in memory, and does not overwrite what is stored', async () => {
  const name = newName();
  const page = makePage();
  const first = page.open(indexedDbLog({ name }), [say('Hello.')]);
  await first.send('Hi');
  await first.dispose();
  const log = indexedDbLog({ name });
  const before = await log.load('chat-42');

  const fails = () => Promise.reject(new Error('The disk does not answer.'));
  const second = await opened(page.open({ ...log, load: fails }, [say('In memory.')]));
  expect(second.link.value).toEqual({ role: 'writer', open: true, saved: false });
  expect((await second.send('Hi')).text).toBe('In memory.');
  await second.dispose();
  expect(await log.load('chat-42')).toEqual(before);
  expect(page.errors).toHaveLength(1);
});

test('D10 a turn that the page left is interrupted in the next session, which resumes it', async () => {
  const name = newName();
  const page = makePage();
  const [call] = turn();
  const first = page.open(indexedDbLog({ name }), [call!, stall('There it')]);
  const left = first.send('Add Plan').catch(() => {});
  await vi.waitUntil(() => first.currentText.value !== '', patience);
  await first.dispose({ turn: 'leave' });
  await left;

  const second = await opened(page.open(indexedDbLog({ name }), [say('There it is.')]));
  expect(second.interrupted.value).toMatchObject({ at: 'stream', unknown: [] });
  expect(await second.resume()).toMatchObject({ text: 'There it is.' });
  expect([page.executions, [...page.cards]]).toEqual([1, ['Plan']]);
  await second.dispose();
});

test('D6 of two sessions at once, one writes; the other follows, gets the log when it sends, and takes over', async () => {
  const name = newName();
  const page = makePage();
  const first = await opened(page.open(indexedDbLog({ name }), [say('I have it again.')]));
  const second = await opened(page.open(indexedDbLog({ name }), turn()));
  const roles = () => [first, second].map(({ link }) => link.value.role);
  expect(roles()).toEqual(['writer', 'follower']);

  expect((await second.send('Add Plan')).text).toBe('There it is.');
  expect(roles()).toEqual(['follower', 'writer']);
  await vi.waitFor(() => expect(first.turns.value).toEqual(second.turns.value), patience);
  expect([page.executions, first.turns.value.length]).toEqual([1, 1]);

  await second.dispose();
  await vi.waitUntil(() => first.link.value.role === 'writer', patience);
  expect((await first.send('And now?')).text).toBe('I have it again.');
  await first.dispose();
  expect(page.errors).toEqual([]);
});

test('a page that ends without a release frees its lease at once, because its lock is gone', async () => {
  const name = newName();
  const [gone, next] = [indexedDbLog({ name }), indexedDbLog({ name })];
  const lease = await gone.claim('chat-42', 'gone', 60_000);
  await expect(next.claim('chat-42', 'next', 60_000)).rejects.toMatchObject({
    details: { reason: 'held', owner: 'gone' },
  });
  // The browser does the same at the end of a page.
  const { held = [] } = await navigator.locks.query();
  const lock = held.find((one) => one.name?.includes('gone') && one.name.includes(name));
  await navigator.locks.request(lock!.name!, { steal: true }, () => {});
  expect((await next.claim('chat-42', 'next', 60_000)).epoch).toBe(lease.epoch + 1);
});

test("releasing a lease after its owner's next claim does not end the sign of life", async () => {
  const name = newName();
  const [log, other] = [indexedDbLog({ name }), indexedDbLog({ name })];
  const first = await log.claim('chat-42', 'tab', 60_000);
  const second = await log.claim('chat-42', 'tab', 60_000);
  await log.release(first);
  await expect(other.claim('chat-42', 'other', 60_000)).rejects.toMatchObject({
    details: { reason: 'held' },
  });
  await log.release(second);
  await other.claim('chat-42', 'other', 60_000);
});

test('a lease of a page without locks expires only by its time', async () => {
  const name = newName();
  const clock = createVirtualClock();
  const locks = vi.spyOn(navigator, 'locks', 'get').mockReturnValue(undefined as unknown as LockManager);
  const without = indexedDbLog({ name, clock });
  locks.mockRestore();
  await without.claim('chat-42', 'without', 5_000);
  const log = indexedDbLog({ name, clock });
  await expect(log.claim('chat-42', 'tab', 5_000)).rejects.toMatchObject({ details: { reason: 'held' } });
  await clock.advance(5_000);
  await log.claim('chat-42', 'tab', 5_000);
});

test('if two owners find the previous owner gone, one gets the lease', async () => {
  const name = newName();
  await indexedDbLog({ name }).claim('chat-42', 'gone', 60_000);
  const { held = [] } = await navigator.locks.query();
  const lock = held.find((one) => one.name?.includes('gone') && one.name.includes(name));
  await navigator.locks.request(lock!.name!, { steal: true }, () => {});
  const claims = ['a', 'b', 'c'].map((owner) => indexedDbLog({ name }).claim('chat-42', owner, 60_000));
  const results = await Promise.allSettled(claims);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
});

test('an idle session writes nothing', async () => {
  const clock = createVirtualClock();
  const session = createAgentSession({
    provider: scriptedProvider([say('Hello.')]),
    id: 'chat-42',
    log: indexedDbLog({ name: newName() }),
    ports: { clock },
  });
  const answer = session.send('Hi');
  await answer;
  const writes = countWrites();
  for (let second = 0; second < 60; second++) await clock.advance(1_000);
  await session.dispose();
  // One write is the end of the session, the other the release of the lease.
  expect(writes()).toBe(2);
  vi.restoreAllMocks();
});

test('a record that a step waits for is stored with the durability `strict`; other records and snapshots with `relaxed`', async () => {
  const log = indexedDbLog({ name: newName() });
  const lease = await log.claim('chat-42', 'tab', 60_000);
  const begun = vi.spyOn(IDBDatabase.prototype, 'transaction');
  const { epoch } = lease;
  await log.append(lease, { version: 1, revision: 1, epoch, operations: [] }, { barrier: true });
  await log.append(lease, { version: 1, revision: 2, epoch, operations: [] }, { barrier: false });
  await log.snapshot(lease, 2, savedState(initialState()));
  expect(begun.mock.calls.map(([, , options]) => options)).toEqual(
    ['strict', 'relaxed', 'relaxed'].map((durability) => ({ durability })),
  );
  vi.restoreAllMocks();
});

test('the list has each chat with its title, but no removed chats', async () => {
  const log = indexedDbLog({ name: newName() });
  for (const id of ['chat-1', 'chat-2']) {
    const session = createAgentSession({ provider: scriptedProvider([say('Hello.')]), id, log });
    await session.send('Hi');
    await session.dispose();
    await log.describe(id, { title: `The title of ${id}` });
  }
  expect((await log.list()).map(({ title }) => title)).toEqual([
    'The title of chat-2',
    'The title of chat-1',
  ]);
  await log.remove('chat-2');
  expect((await log.list()).map(({ id }) => id)).toEqual(['chat-1']);
});
