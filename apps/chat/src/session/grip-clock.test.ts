import { effect, signal, type AgentSession, type Confirmation } from '@banister/session';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createGripClock } from './grip-clock.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A turn that runs, and the words of the clock beside it. */
function running() {
  const pendingConfirmations = signal<readonly Partial<Confirmation>[]>([]);
  const session = {
    liveTurn: signal({ id: 'turn_1' }),
    phase: signal('streaming'),
    interrupted: signal(null),
    pendingConfirmations,
    pendingExtension: signal(null),
  } as unknown as AgentSession;
  const clock = createGripClock(signal(session));
  return { pendingConfirmations, words: () => clock.value, watch: () => effect(() => void clock.value) };
}

test('a question has all of its time when it opens, between two ticks too', () => {
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

test('a turn has run for so many seconds', () => {
  const { words, watch } = running();
  const leave = watch();
  expect(words()).toBe('');
  vi.advanceTimersByTime(3_000);
  expect(words()).toBe('3 s');
  leave();
});
