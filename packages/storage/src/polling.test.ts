import { createVirtualClock } from '@banister/testing';
import { expect, test } from 'vitest';
import { Polling } from './polling.js';

/** A clock, and how often `hasChanged` was asked. */
function polled() {
  const clock = createVirtualClock();
  let looks = 0;
  let hasChanged = false;
  const polling = new Polling(clock, () => (looks++, hasChanged));
  return { clock, polling, looks: () => looks, change: () => (hasChanged = true) };
}

test('readers that wait for another process share one timer', async () => {
  const { clock, polling, looks } = polled();
  for (let count = 0; count < 10; count++) {
    const leaving = new AbortController();
    polling.follow('chat', leaving.signal);
    leaving.abort();
  }
  expect(clock.pending).toBe(0);
  const end = new AbortController();
  polling.follow('chat', end.signal);
  polling.follow('other', end.signal);
  await clock.advance(1_000);
  expect([looks(), clock.pending]).toEqual([4, 1]);
  end.abort();
  expect(clock.pending).toBe(0);
});

test('a bell rings when its session is changed in this process, and at a look if another process may have changed something', async () => {
  const { clock, polling, change } = polled();
  const end = new AbortController();
  const [bell, other] = ['chat', 'other'].map((id) => polling.follow(id, end.signal));
  polling.announce('chat');
  await clock.advance(500);
  expect([bell!.rings, other!.rings]).toEqual([1, 0]);
  change();
  await clock.advance(250);
  expect([bell!.rings, other!.rings]).toEqual([2, 1]);
  end.abort();
});

test('a reader that has left before it begins is not counted', () => {
  const { clock, polling } = polled();
  const bell = polling.follow('chat', AbortSignal.abort());
  polling.announce('chat');
  expect([bell.rings, clock.pending]).toEqual([0, 0]);
});
