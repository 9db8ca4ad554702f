import { memoryLog } from '@banister/storage';
import { expect, test, vi } from 'vitest';
import { watchWrites } from './slow-writes.js';

test('a write counts as slow after one second, until it ends', async () => {
  vi.useFakeTimers();
  const plain = memoryLog();
  const gates: (() => void)[] = [];
  const held = { ...plain, append: () => new Promise<void>((resolve) => gates.push(resolve)) };
  const { log, isSlow } = watchWrites(held);
  const lease = await plain.claim('chat', 'tab', 5_000);
  const record = { version: 1, revision: 1, epoch: lease.epoch, operations: [] };
  const written = log.append(lease, record, { barrier: true });
  vi.advanceTimersByTime(999);
  expect(isSlow.peek()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(isSlow.peek()).toBe(true);
  gates.shift()!();
  await written;
  expect(isSlow.peek()).toBe(false);
  vi.useRealTimers();
});
