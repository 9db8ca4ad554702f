import { effect, type AgentSession, type Confirmation, type PendingRetry } from '@banister/session';
import { signal } from '@banister/session/signals';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createGripClock } from './grip-clock.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A running turn, and the words of the clock beside it. */
function running() {
  const pendingConfirmations = signal<readonly Partial<Confirmation>[]>([]);
  const pendingRetry = signal<Partial<PendingRetry> | null>(null);
  const isHeld = signal(false);
  const session = {
    liveTurn: signal({ id: 'turn_1' }),
    phase: signal('streaming'),
    interrupted: signal(null),
    pendingConfirmations,
    pendingExtension: signal(null),
    pendingRetry,
  } as unknown as AgentSession;
  const clock = createGripClock(signal(session), isHeld);
  return {
    pendingConfirmations,
    pendingRetry,
    isHeld,
    words: () => clock.value,
    watch: () => effect(() => void clock.value),
  };
}

test('a question has its full time when it opens, even between two ticks', () => {
  const { pendingConfirmations, words, watch } = running();
  const leave = watch();
  vi.advanceTimersByTime(1_700);
  pendingConfirmations.value = [{ id: 'q', expiresAt: Date.now() + 120_000 }];
  expect(words()).toBe('2:00 left, then no');
  vi.advanceTimersByTime(1_300);
  expect(words()).toBe('1:59 left, then no');
  leave();
  expect(vi.getTimerCount()).toBe(0);
});

test('the time of a question stands still while the user is at it', () => {
  const { pendingConfirmations, words, watch } = running();
  const leave = watch();
  const question = { id: 'q', expiresAt: Date.now() + 120_000 };
  pendingConfirmations.value = [question];
  vi.advanceTimersByTime(20_000);
  expect(words()).toBe('1:40 left, then no');
  pendingConfirmations.value = [{ ...question, attended: true }];
  vi.advanceTimersByTime(30_000);
  expect(words()).toBe('1:40 left, then no');
  leave();
});

test('the clock shows how many seconds a turn has run', () => {
  const { words, watch } = running();
  const leave = watch();
  expect(words()).toBe('');
  vi.advanceTimersByTime(3_000);
  expect(words()).toBe('3 s');
  leave();
});

test('audit-S7 the clock counts down to the next attempt of a request', () => {
  const { pendingRetry, words, watch } = running();
  const leave = watch();
  vi.advanceTimersByTime(5_000);
  pendingRetry.value = { attempt: 2, of: 4, at: Date.now() + 2_500 };
  expect(words()).toBe('in 3 s');
  vi.advanceTimersByTime(2_000);
  expect(words()).toBe('in 1 s');
  pendingRetry.value = null;
  expect(words()).toBe('7 s');
  leave();
});

test('audit-V8 with “Wait” the clock shows the deadline after the wait', () => {
  const { pendingConfirmations, isHeld, words, watch } = running();
  const leave = watch();
  const question = { id: 'q', expiresAt: Date.now() + 120_000 };
  pendingConfirmations.value = [question];
  expect(words()).toBe('2:00 left, then no');
  isHeld.value = true;
  pendingConfirmations.value = [{ ...question, expiresAt: Date.now() + 720_000, attended: true }];
  expect(words()).toBe('12:00 left, then no');
  vi.advanceTimersByTime(60_000);
  expect(words()).toBe('11:00 left, then no');
  leave();
});
