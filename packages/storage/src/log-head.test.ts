import type { LogRecord, Operation } from '@banister/session';
import { expect, test } from 'vitest';
import { appended, claimed, described, emptyHead, leaseOf, listOf, withSnapshot } from './log-head.js';

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

/** A record in which turns begin with these messages. */
function turns(...texts: readonly string[]): LogRecord {
  const operations = texts.map((text) => {
    const input = { id: 'm', role: 'user', parts: text === '' ? [] : [{ type: 'text', text }] };
    return { type: 'turnStarted', input } as unknown as Operation;
  });
  return { ...record, operations };
}

test.each([
  ['its first line', ['  Plan the week \r\nand the month', 'Then rest'], 'Plan the week'],
  ['the first message that has a text', ['', '\n', 'Go'], 'Go'],
  ['60 characters', ['x'.repeat(60)], 'x'.repeat(60)],
  ['at most 60 characters', ['x'.repeat(61)], `${'x'.repeat(59)}…`],
  ['no half of a character', [`${'x'.repeat(58)}👍👍`], `${'x'.repeat(58)}…`],
  ['a whole character', [`${'x'.repeat(57)}👍👍`], `${'x'.repeat(57)}👍…`],
])('a session without a title has that of its first message: %s', (_name, texts, title) => {
  const written = appended(head, leaseOf(head), turns(...texts), 7, 100);
  expect(written.title).toBe(title);
});

test('a title stays, also one that was described as empty', () => {
  const lease = leaseOf(head);
  const first = appended(head, lease, turns('Plan'), 7, 100);
  expect(appended(first, lease, { ...turns('Test'), revision: 2 }, 7, 200).title).toBe('Plan');
  for (const title of ['Mine', '']) {
    const named = described(first, { title }, 200);
    expect(appended(named, lease, { ...turns('Test'), revision: 2 }, 7, 200).title).toBe(title);
  }
});

test('a record in which no turn begins gives no title', () => {
  const operations = [{ type: 'modeChanged', mode: 'plan' } as unknown as Operation];
  const written = appended(head, leaseOf(head), { ...record, operations }, 7, 100);
  expect(written).not.toHaveProperty('title');
});
