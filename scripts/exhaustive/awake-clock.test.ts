import { afterEach, expect, test, vi } from 'vitest';
import { startAwakeClock } from './awake-clock.js';

afterEach(() => void vi.restoreAllMocks());

test('a clock leaves out what another process had of the processor, and nothing of the own work and waiting', () => {
  let [time, work] = [0, 0];
  vi.spyOn(performance, 'now').mockImplementation(() => time);
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: work * 1_000, system: 0 }));
  using clock = startAwakeClock();
  const passes = (ms: number, ownMs: number) => {
    const before = clock.now();
    [time, work] = [time + ms, work + ownMs];
    return clock.now() - before;
  };
  expect(passes(10, 0)).toBe(10);
  expect(passes(1_000, 1_000)).toBe(1_000);
  // Ten of these may have been a wait.
  expect(passes(1_000, 200)).toBe(210);
  expect(passes(1_000, 0)).toBe(10);
  expect(passes(5, 5)).toBe(5);
});
