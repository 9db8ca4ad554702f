import type { Operation } from '@banister/session';
import type { ListedSession, LogRecord } from '@banister/session/log';
import { expect, test } from 'vitest';
import { appended, claimed, described, emptyHead, leaseOf, listOf, withSnapshot } from './log-head.js';

const holder = { owner: 'first', ttlMs: 1_000, until: 1_000 };
const head = claimed(emptyHead('chat'), holder, 0, undefined);
const record: LogRecord = { version: 1, revision: 1, epoch: head.epoch, operations: [] };

test('a lease is held until the moment when it expires', () => {
  const next = { ...holder, owner: 'second' };
  expect(() => claimed(head, next, 999, undefined)).toThrow('open elsewhere');
  expect(claimed(head, next, 1_000, undefined).epoch).toBe(head.epoch + 1);
});

test('a snapshot does not move a session in the list, and adds a session without a record', () => {
  const lease = leaseOf(head);
  const written = appended(head, lease, { record, sum: 7 }, 100);
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
])('a session without a title gets its title from its first message: %s', (_name, texts, title) => {
  const written = appended(head, leaseOf(head), { record: turns(...texts), sum: 7 }, 100);
  expect(written.title).toBe(title);
});

test('a title stays, even an empty title', () => {
  const lease = leaseOf(head);
  const first = appended(head, lease, { record: turns('Plan'), sum: 7 }, 100);
  expect(appended(first, lease, { record: { ...turns('Test'), revision: 2 }, sum: 7 }, 200).title).toBe(
    'Plan',
  );
  for (const title of ['Mine', '']) {
    const named = described(first, { title }, 200);
    expect(appended(named, lease, { record: { ...turns('Test'), revision: 2 }, sum: 7 }, 200).title).toBe(
      title,
    );
  }
});

test('a record without the start of a turn gives no title', () => {
  const operations = [{ type: 'modeChanged', mode: 'plan' } as unknown as Operation];
  const written = appended(head, leaseOf(head), { record: { ...record, operations }, sum: 7 }, 100);
  expect(written).not.toHaveProperty('title');
});

test('served F36 the logs of `@banister/storage` store whether work is open after the last record', () => {
  const lease = leaseOf(head);
  const open = appended(head, lease, { record, sum: 7, open: true }, 100);
  expect(open.open).toBe(true);
  for (const later of [described(open, { title: 'A' }, 200), withSnapshot(open, lease, 1, 200)])
    expect(later.open).toBe(true);
  expect(claimed(open, { ...holder, owner: 'second' }, 1_000, undefined).open).toBe(true);
  for (const ended of [false, undefined]) {
    const next = { record: { ...record, revision: 2 }, sum: 8, open: ended };
    expect(appended(open, lease, next, 200)).not.toHaveProperty('open');
  }
});

/** Heads of sessions with these ids, of which every two have the same time. */
const listed = (...ids: readonly string[]) =>
  ids.map((id, index) => ({ ...emptyHead(id), updatedAt: 100 + Math.floor(index / 2) }));

test('served H9 the pages of the list have each session once, even if times are equal', () => {
  const heads = listed('b', 'a', '', '\u0000', '\ud83d\udc4b', '\ud83d', '\uffff');
  const whole = listOf(heads);
  expect(whole.map(({ id }) => id)).toEqual(['\uffff', '\ud83d', '\ud83d\udc4b', '', '\u0000', 'a', 'b']);
  for (const limit of [1, 2, 3, 7]) {
    const pages: ListedSession[] = [];
    for (let page = 0; page < 7; page++) pages.push(...listOf(heads, { limit, before: pages.at(-1) }));
    expect(pages).toEqual(whole);
  }
});

test('served H9 a page begins after the given session, even if that session was removed or has a newer record', () => {
  const heads = listed('a', 'b', 'c', 'd', 'e', 'f');
  const [, , third] = listOf(heads);
  const rest = listOf(heads).slice(3);
  const moved = heads.map((one) => (one.id === third!.id ? { ...one, updatedAt: 900 } : one));
  const gone = heads.filter(({ id }) => id !== third!.id);
  for (const now of [moved, gone]) expect(listOf(now, { before: third })).toEqual(rest);
});

test.each([
  ['["ada",', ['["ada","1"]', '["ada","2"]']],
  ['a%', ['a%', 'a%b']],
  ['a_', ['a_b']],
  ['a\u0000', ['a\u0000', 'a\u0000b']],
  ['\ud83d', ['\ud83d', '\ud83d\udc4b']],
  ['', undefined],
])('served H9 the list for a prefix has the sessions whose ids begin with it: %s', (prefix, expected) => {
  const ids = ['["ada","1"]', '["ada","2"]', '["adam","1"]', 'a', 'a%', 'a%b', 'a_b', 'ab', 'A%'];
  const all = [...ids, 'a\u0000', 'a\u0000b', '\ud83d', '\ud83d\udc4b', '\udc4b'];
  const found = listOf(listed(...all), { prefix }).map(({ id }) => id);
  expect(found.toSorted()).toEqual((expected ?? all).toSorted());
});
