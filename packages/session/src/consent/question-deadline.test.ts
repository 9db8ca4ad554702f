import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '@banister/testing';
import { QuestionDeadline } from './question-deadline.js';

/** A deadline of one second, and the time at which it expired. */
function started() {
  const clock = createVirtualClock(0);
  const state = { expired: null as number | null };
  const deadline = new QuestionDeadline(clock, 1_000, () => (state.expired = clock.now()));
  return { clock, state, deadline };
}

describe('the deadline of a question', () => {
  it('is the same time for a view that comes after ten minutes of attendance', async () => {
    const { clock, deadline } = started();
    expect(deadline.attend('one', true)).toBe(601_000);
    await clock.advance(600_500);
    expect(deadline.expiresAt).toBe(601_000);
    expect(deadline.attend('one', false)).toBe(601_000);
    deadline.stop();
    expect(clock.pending).toBe(0);
  });

  it('restarts while a view is at the question, and does not run then', async () => {
    const { clock, state, deadline } = started();
    await clock.advance(400);
    deadline.attend('one', true);
    await clock.advance(1_000);
    expect(deadline.restart()).toBe(1_400 + 1_000 + 599_000);
    expect(deadline.attend('one', false)).toBe(2_400);
    await clock.advance(1_000);
    expect(state.expired).toBe(2_400);
  });

  it('counts the time for which the page slept beyond the ten minutes of attendance', () => {
    let now = 0;
    const timers = new Set<() => void>();
    const schedule = (callback: () => void) => {
      timers.add(callback);
      return () => void timers.delete(callback);
    };
    let isExpired = false;
    const deadline = new QuestionDeadline({ now: () => now, schedule }, 1_000, () => (isExpired = true));
    deadline.attend('one', true);
    // The timer of a page that sleeps is called late.
    const wakeAt = (time: number) => {
      now = time;
      for (const timer of [...timers]) {
        timers.delete(timer);
        timer();
      }
    };
    wakeAt(600_400);
    expect(deadline.expiresAt).toBe(601_000);
    expect(deadline.attend('one', false)).toBe(601_000);
    expect(deadline.attend('two', true)).toBe(601_000);
    wakeAt(600_400);
    expect(isExpired).toBe(false);
    wakeAt(601_000);
    expect(isExpired).toBe(true);
  });
});
