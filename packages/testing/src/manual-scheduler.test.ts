import { expect, test } from 'vitest';
import { createManualScheduler } from './manual-scheduler.js';

test('nothing is published until the frame comes', () => {
  const scheduler = createManualScheduler();
  let published = 0;
  scheduler.schedule(() => published++);
  expect([published, scheduler.scheduled]).toEqual([0, true]);
  scheduler.frame();
  expect([published, scheduler.scheduled]).toEqual([1, false]);
  scheduler.frame();
  expect(published).toBe(1);
});

test('a scheduled publish can be cancelled, even by an earlier publish of the same frame', () => {
  const scheduler = createManualScheduler();
  scheduler.schedule(() => expect.unreachable())();
  scheduler.schedule(() => cancel());
  const cancel = scheduler.schedule(() => expect.unreachable());
  scheduler.frame();
  expect(scheduler.scheduled).toBe(false);
});

test('a publish that is scheduled during a frame waits for the next frame', () => {
  const scheduler = createManualScheduler();
  const published: number[] = [];
  scheduler.schedule(() => {
    published.push(1);
    scheduler.schedule(() => published.push(2));
  });
  scheduler.frame();
  expect(published).toEqual([1]);
  scheduler.frame();
  expect(published).toEqual([1, 2]);
});

test('the same function can be scheduled twice and cancelled once', () => {
  const scheduler = createManualScheduler();
  let published = 0;
  const publish = () => published++;
  scheduler.schedule(publish);
  scheduler.schedule(publish)();
  scheduler.frame();
  expect(published).toBe(1);
});
