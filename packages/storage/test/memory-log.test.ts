import { savedState } from '@banister/session/log';
import { initialState } from '@banister/session/operations';
import { memoryLog } from '@banister/storage';
import { createVirtualClock, sessionLogConformance } from '@banister/testing';
import { describe, expect, it } from 'vitest';

sessionLogConformance(
  'memoryLog',
  () => {
    const clock = createVirtualClock();
    return { log: memoryLog({ clock }), pass: (ms) => clock.advance(ms) };
  },
  { describe, it },
);

it('F14 a reader behind a snapshot is refused, so that no records are kept for it', async () => {
  const log = memoryLog();
  const lease = await log.claim('chat-1', 'tab-1', 5_000);
  const { epoch } = lease;
  for (const revision of [1, 2, 3])
    await log.append(lease, { version: 2, revision, epoch, operations: [] }, { barrier: true });
  const reader = log.tail('chat-1', 0, new AbortController().signal)[Symbol.asyncIterator]();
  await expect(reader.next()).resolves.toMatchObject({ value: { revision: 1 } });
  await log.snapshot(lease, 2, savedState(initialState()));
  await expect(reader.next()).rejects.toMatchObject({ code: 'storage', details: { reason: 'gap' } });
});

it('a wait for the lease leaves no timer when the lease is released', async () => {
  const clock = createVirtualClock();
  const log = memoryLog({ clock });
  const lease = await log.claim('chat-1', 'tab-1', 5_000);
  const freed = log.freed!('chat-1', new AbortController().signal);
  await log.release(lease);
  await freed;
  expect(clock.pending).toBe(0);
});
