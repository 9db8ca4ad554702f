// Web Locks as the sign that the owner of a lease is alive.
import type { SessionLog } from '@banister/session';
import { indexedDbLog } from '@banister/storage';
import { expect, test, vi } from 'vitest';

const id = 'chat-42';
let count = 0;

/** Two connections to a new log. */
function makeLogs() {
  const name = `signs-${++count}`;
  return { name, log: indexedDbLog({ name }), other: indexedDbLog({ name }) };
}

async function locksOf(name: string): Promise<LockManagerSnapshot> {
  const { held = [], pending = [] } = await navigator.locks.query();
  const isOurs = (lock: LockInfo) => lock.name!.includes(`"${name}"`);
  return { held: held.filter(isOurs), pending: pending.filter(isOurs) };
}

/** Ends the sign of the owner as the end of its page would, and calls `act` while a reader has the lock. */
async function endSign(name: string, act: () => Promise<unknown> = async () => {}): Promise<void> {
  const { held } = await locksOf(name);
  await navigator.locks.request(held![0]!.name!, { steal: true }, act);
}

async function expectHeld(log: SessionLog): Promise<void> {
  await expect(log.claim(id, 'other', 60_000)).rejects.toMatchObject({ details: { reason: 'held' } });
}

test('a lease that is claimed again has a sign of life again', async () => {
  const { log, other } = makeLogs();
  await log.release(await log.claim(id, 'tab', 60_000));
  await log.claim(id, 'tab', 60_000);
  await expectHeld(other);
});

test('a lease whose lock was lost before has a sign of life again', async () => {
  const { name, log, other } = makeLogs();
  await log.claim(id, 'tab', 60_000);
  await endSign(name);
  await log.claim(id, 'tab', 60_000);
  await expectHeld(other);
});

test('a reader that waited for the end of a sign does not count as a sign', async () => {
  const { name, log, other } = makeLogs();
  const { epoch } = await log.claim(id, 'tab', 60_000);
  await endSign(name, async () => {
    expect((await other.claim(id, 'other', 60_000)).epoch).toBe(epoch + 1);
  });
});

test('a wait for the end of a sign ends when its signal fires, and leaves no request for the lock', async () => {
  const { name, log, other } = makeLogs();
  await log.claim(id, 'tab', 60_000);
  const end = new AbortController();
  const freed = other.freed!(id, end.signal);
  await vi.waitUntil(async () => (await locksOf(name)).pending!.length === 1);
  end.abort();
  await freed;
  expect((await locksOf(name)).pending).toEqual([]);
});
