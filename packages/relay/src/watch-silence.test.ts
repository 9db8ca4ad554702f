import { createVirtualClock } from '@banister/testing';
import { expect, test } from 'vitest';
import { watchSilence } from './watch-silence.js';

test('a timer that fires late never shortens the allowed silence', async () => {
  const clock = createVirtualClock();
  let jump = 0;
  const moved = () => clock.now() + jump;
  const late = { ...clock, now: moved, monotonic: moved, schedule: clock.schedule.bind(clock) };
  const silence = watchSilence(late, () => {});
  silence.within(10_000);
  await clock.advance(9_000);
  silence.within(45_000);
  // The tab was frozen for three seconds when the timer was due.
  jump = 3_000;
  await clock.advance(1_000);
  await clock.advance(40_000);
  expect(silence.isOver).toBe(false);
  await clock.advance(1_000);
  expect(silence.isOver).toBe(true);
  expect(clock.pending).toBe(0);
});

test('setting the clock does not affect a silence', async () => {
  const virtual = createVirtualClock();
  let jump = 0;
  const clock = {
    now: () => virtual.now() + jump,
    monotonic: () => virtual.now(),
    schedule: virtual.schedule.bind(virtual),
  };
  for (jump of [0, -3_600_000, 3_600_000]) {
    const silence = watchSilence(clock, () => {});
    silence.within(10_000);
    jump = -jump;
    await virtual.advance(9_999);
    expect(silence.isOver).toBe(false);
    await virtual.advance(1);
    expect(silence.isOver).toBe(true);
    expect(virtual.pending).toBe(0);
  }
});
