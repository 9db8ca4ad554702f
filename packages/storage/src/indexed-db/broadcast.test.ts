import { afterEach, expect, test, vi } from 'vitest';
import { Broadcast } from './broadcast.js';

afterEach(() => vi.restoreAllMocks());

let count = 0;

/** Two pages that use the same database, and what each of them heard. */
function twoPages() {
  const name = `broadcast-${++count}`;
  return [new Broadcast(name), new Broadcast(name)] as const;
}

test('if one of two readers in a page leaves, the other continues', async () => {
  const [here, elsewhere] = twoPages();
  const [leaves, stays] = [new AbortController(), new AbortController()];
  here.channel('chat').messages(leaves.signal);
  const reader = here.channel('chat').messages(stays.signal)[Symbol.asyncIterator]();
  const bell = here.follow('chat', stays.signal);
  leaves.abort();
  elsewhere.channel('chat').post({ number: 1 });
  elsewhere.announce('chat');
  expect((await reader.next()).value).toEqual({ number: 1 });
  await vi.waitUntil(() => bell.rings === 1);
  stays.abort();
});

test('the channel is closed when its last reader leaves, and opened again for the next reader', async () => {
  const [here, elsewhere] = twoPages();
  const close = vi.spyOn(BroadcastChannel.prototype, 'close');
  const first = new AbortController();
  here.follow('chat', first.signal);
  here.follow('other', first.signal);
  expect(close).not.toHaveBeenCalled();
  first.abort();
  expect(close).toHaveBeenCalledTimes(1);
  here.follow('chat', AbortSignal.abort());
  const next = new AbortController();
  const bell = here.follow('chat', next.signal);
  elsewhere.announce('chat');
  await vi.waitUntil(() => bell.rings === 1);
  close.mockClear();
  next.abort();
  expect(close).toHaveBeenCalledTimes(1);
});

test('a change in this page rings in this page, once', async () => {
  const [here, elsewhere] = twoPages();
  const end = new AbortController();
  const bells = [here, elsewhere].map((page) => page.follow('chat', end.signal));
  here.announce('chat');
  await vi.waitUntil(() => bells[1]!.rings === 1);
  expect(bells[0]!.rings).toBe(1);
  end.abort();
});
