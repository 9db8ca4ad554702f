// Readers that leave a tail silently: with `break`, or because the log refuses them.
import './without-locks.js';
import 'fake-indexeddb/auto';
import type { SessionLog } from '@banister/session';
import { savedState } from '@banister/session/log';
import { initialState } from '@banister/session/operations';
import type { Clock } from '@banister/provider';
import { indexedDbLog } from '@banister/storage';
import { sqliteLog } from '@banister/storage/sqlite';
import { createVirtualClock } from '@banister/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

const logs: readonly (readonly [string, (clock: Clock) => SessionLog])[] = [
  [
    'indexedDbLog without BroadcastChannel',
    (clock) => {
      vi.stubGlobal('BroadcastChannel', undefined);
      return indexedDbLog({ name: `left-${Math.random()}`, clock });
    },
  ],
  ['sqliteLog', (clock) => sqliteLog(':memory:', { clock })],
];

describe.each(logs)('%s', (_name, make) => {
  /** A log of three records. */
  async function written() {
    const clock = createVirtualClock();
    const log = make(clock);
    const lease = await log.claim('chat', 'test', 60_000);
    for (const revision of [1, 2, 3])
      await log.append(
        lease,
        { version: 1, revision, epoch: lease.epoch, operations: [] },
        { barrier: false },
      );
    return { clock, log, lease };
  }

  test('has no channel', () => {
    expect(make(createVirtualClock()).channel).toBeUndefined();
  });

  test('X11 a reader that leaves a tail in the middle leaves no timer and no listener', async () => {
    const { clock, log } = await written();
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    for await (const { revision } of log.tail('chat', 0, signal)) if (revision === 2) break;
    expect(clock.pending).toBe(0);
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });

  test('a reader that the log refuses leaves no timer', async () => {
    const { clock, log, lease } = await written();
    await log.snapshot(lease, 2, savedState(initialState()));
    const tail = log.tail('chat', 1, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(tail.next()).rejects.toMatchObject({ details: { reason: 'gap' } });
    expect(clock.pending).toBe(0);
  });
});
