import { createVirtualClock } from '@handrail/testing';
import { expect, test } from 'vitest';
import { watchSilence } from './watch-silence.js';

test('a timer that fires late never shortens the silence that is permitted', async () => {
  const clock = createVirtualClock();
  let jump = 0;
  const late = { ...clock, now: () => clock.now() + jump, schedule: clock.schedule.bind(clock) };
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
