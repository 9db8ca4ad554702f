// Several pages of one origin over the browser's log. Each page is a frame, which ends without notice, as a
// page does.
import { afterEach, expect, test, vi } from 'vitest';
import { openFrame, type TabFrame } from './tab-frame.js';
import type { TabOptions, TabPage } from './tab-page.js';

const patience = { timeout: 30_000 };
const frames: TabFrame[] = [];
let count = 0;
const newName = () => `tabs-${++count}`;

afterEach(() => {
  for (const frame of frames.splice(0)) frame.end();
});

/** Opens a page with a session that has read its log. */
async function openTab(options: TabOptions): Promise<TabPage & { end(): void }> {
  const frame = await openFrame();
  frames.push(frame);
  const tab = frame.openTab(options);
  await vi.waitUntil(() => tab.session.link.value.open, patience);
  return { ...tab, end: frame.end };
}

const roles = (...tabs: readonly TabPage[]) => tabs.map(({ session }) => session.link.value.role);

/** Returns the names of the locks of one log: held locks, and requested locks. */
async function locksOf(name: string) {
  const { held = [], pending = [] } = await navigator.locks.query();
  const ours = (locks: LockInfo[]) => locks.filter((lock) => lock.name?.includes(`"${name}"`)).length;
  return { held: ours(held), pending: ours(pending) };
}

test('X8 tools run in the page that sends, and the previous writer follows', async () => {
  const name = newName();
  const one = await openTab({ name });
  const two = await openTab({ name });
  expect(roles(one, two)).toEqual(['writer', 'follower']);
  expect((await two.session.send('Add Plan')).text).toBe('Done.');
  expect([roles(one, two), one.cards, two.cards]).toEqual([['follower', 'writer'], [], ['Plan']]);
  await vi.waitFor(() => expect(one.session.state).toEqual(two.session.state), patience);
  expect((await one.session.send('Add it again')).text).toBe('Done.');
  expect([roles(one, two), one.cards]).toEqual([['writer', 'follower'], ['Plan']]);
  expect([...one.errors, ...two.errors]).toEqual([]);
});

test('a page that is closed is replaced at once, and its turn is interrupted', async () => {
  const name = newName();
  const one = await openTab({ name, stalls: true });
  // Without timers, only a message can wake the page up.
  const two = await openTab({ name, hasTimers: false });
  void one.session.send('Hi').catch(() => {});
  await vi.waitUntil(() => two.session.currentText.value === 'Hello', patience);
  one.end();
  await vi.waitUntil(() => two.session.link.value.role === 'writer', patience);
  expect(two.session.interrupted.value).toMatchObject({ at: 'stream' });
  expect((await two.session.send('Add Plan')).text).toBe('Done.');
});

test('followers hold no lock; a disposed follower requests none', async () => {
  const name = newName();
  const one = await openTab({ name });
  const two = await openTab({ name });
  const three = await openTab({ name });
  await vi.waitFor(async () => expect(await locksOf(name)).toEqual({ held: 1, pending: 2 }), patience);
  await two.session.dispose();
  await vi.waitFor(async () => expect(await locksOf(name)).toEqual({ held: 1, pending: 1 }), patience);
  await three.session.send('Add Plan');
  expect(roles(one, three)).toEqual(['follower', 'writer']);
  await vi.waitFor(async () => expect(await locksOf(name)).toEqual({ held: 1, pending: 1 }), patience);
  await one.session.dispose();
  await three.session.dispose();
  await vi.waitFor(async () => expect(await locksOf(name)).toEqual({ held: 0, pending: 0 }), patience);
});

test.each([-600_000, 600_000])(
  'F13 a page whose clock is %i ms off does not take a log away',
  async (skewMs) => {
    const name = newName();
    const one = await openTab({ name });
    const two = await openTab({ name, skewMs });
    // The page waits for the lock of the other page, not for a time.
    await vi.waitFor(async () => expect(await locksOf(name)).toEqual({ held: 1, pending: 1 }), patience);
    expect(roles(one, two)).toEqual(['writer', 'follower']);
    expect((await one.session.send('Add Plan')).text).toBe('Done.');
    expect((await two.session.send('Add Plan')).text).toBe('Done.');
    expect(roles(one, two)).toEqual(['follower', 'writer']);
    expect([...one.errors, ...two.errors]).toEqual([]);
  },
);
