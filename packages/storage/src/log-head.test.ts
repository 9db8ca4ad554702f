import type { LogRecord } from '@handrail/session';
import { expect, test } from 'vitest';
import { appended, claimed, emptyHead, leaseOf, listOf, withSnapshot } from './log-head.js';

const holder = { owner: 'first', ttlMs: 1_000, until: 1_000 };
const head = claimed(emptyHead('chat'), holder, 0, undefined);
const record: LogRecord = { version: 1, revision: 1, epoch: head.epoch, operations: [] };

test('a lease is held until the moment at which its time is over', () => {
  const next = { ...holder, owner: 'second' };
  expect(() => claimed(head, next, 999, undefined)).toThrow('open elsewhere');
  expect(claimed(head, next, 1_000, undefined).epoch).toBe(head.epoch + 1);
});

test('a snapshot does not move a session in the list, and puts one without a record there', () => {
  const lease = leaseOf(head);
  const written = appended(head, lease, record, 7, 100);
  expect(withSnapshot(written, lease, 1, 200)).toEqual({ ...written, base: 1, updatedAt: 100 });
  expect(listOf([withSnapshot(head, lease, 0, 200)])).toEqual([{ id: 'chat', title: '', updatedAt: 200 }]);
});
