// @vitest-environment jsdom
import { memoryLog } from '@banister/storage';
import { createVirtualClock } from '@banister/testing';
import { expect, test, vi } from 'vitest';
import { listChats, OFFER_MS } from './listed-chats.js';
import { createRemovals } from './removals.js';

const done = () => Promise.resolve();

async function makeList() {
  localStorage.clear();
  const clock = createVirtualClock();
  const log = memoryLog({ clock });
  const write = async (id: string) => {
    const lease = await log.claim(id, 'test', 1_000);
    const revision = lease.revision + 1;
    await log.append(lease, { version: 1, revision, epoch: lease.epoch, operations: [] }, { barrier: true });
    await log.release(lease);
  };
  for (const id of ['one', 'other']) {
    await write(id);
    await log.describe(id, { title: id });
  }
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now());
  const open = () =>
    listChats({ log, removals: createRemovals(localStorage), sessions: { retire: done, discard: done } });
  const ids = async () => (await log.list()).map(({ id }) => id).toSorted();
  return { clock, write, open, ids };
}

test('a removed chat stays in the log until the offer to restore it has expired, even on a later page', async () => {
  const { clock, open, ids } = await makeList();
  await clock.advance(1);
  await open().remove('one', 'one');
  const later = open();
  expect([...later.removed.peek().keys()]).toEqual(['one']);
  await clock.advance(OFFER_MS - 1);
  await later.refresh();
  expect(await ids()).toEqual(['one', 'other']);
  await clock.advance(1);
  await later.refresh();
  expect(await ids()).toEqual(['other']);
  expect(later.all.peek().map(({ id }) => id)).toEqual(['other']);
  expect([...later.removed.peek().keys()]).toEqual([]);
  vi.restoreAllMocks();
});

test('a chat that is brought back, or that another tab continues, is not removed', async () => {
  const { clock, write, open, ids } = await makeList();
  await clock.advance(1);
  const list = open();
  await list.remove('one', 'one');
  await list.remove('other', 'other');
  list.restore('one');
  await clock.advance(1);
  await write('other');
  await clock.advance(2 * OFFER_MS);
  await list.refresh();
  expect(await ids()).toEqual(['one', 'other']);
  expect([...list.removed.peek().keys()]).toEqual([]);
  vi.restoreAllMocks();
});

test('the removal of a chat that is not in the log stays until the offer to restore it has expired', async () => {
  const { clock, open } = await makeList();
  await clock.advance(1);
  await open().remove('unsaved', 'Unsaved');
  const other = open();
  await other.refresh();
  expect([...other.removed.peek().keys()]).toEqual(['unsaved']);
  await clock.advance(OFFER_MS);
  await other.refresh();
  expect([...other.removed.peek().keys()]).toEqual([]);
  vi.restoreAllMocks();
});

test('a chat that was removed before the log had its title has the title when it is brought back', async () => {
  const { clock, write, open } = await makeList();
  await write('young');
  await clock.advance(1);
  const list = open();
  await list.remove('young', 'Just begun');
  expect(open().removed.peek().get('young')?.title).toBe('Just begun');
  list.restore('young');
  await vi.waitUntil(() => list.all.peek().some(({ title }) => title === 'Just begun'), { timeout: 30_000 });
  vi.restoreAllMocks();
});

test('a removal that a full storage refuses is known to its page', () => {
  const removals = createRemovals({
    getItem: () => null,
    setItem() {
      throw new DOMException('No room.', 'QuotaExceededError');
    },
  });
  removals.add('one', { at: 1 });
  removals.add('other', { at: 2 });
  removals.drop('one');
  expect(removals.all()).toEqual({ other: { at: 2 } });
});

test('agents T1: tasks are no chats in the list, and are removed with their chat', async () => {
  const { clock, write, open, ids } = await makeList();
  for (const id of ['one/task/1', 'one/task/2', 'other/task/1']) await write(id);
  const list = open();
  await list.refresh();
  expect(
    list.all
      .peek()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(['one', 'other']);
  await clock.advance(1);
  await list.remove('one', 'one');
  await clock.advance(OFFER_MS);
  await list.refresh();
  expect(await ids()).toEqual(['other', 'other/task/1']);
  vi.restoreAllMocks();
});
