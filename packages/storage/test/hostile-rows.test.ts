// Rows that were damaged at random, and valid rows with contents that no session writes.
import type { Operation } from '@banister/session';
import type { LogRecord } from '@banister/session/log';
import { createDeterministicRandom, say } from '@banister/testing';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { sampleSize } from '../../../test/kit/sample-size.js';
import { engines } from './changed-rows.js';
import { removeFiles } from './temporary-folder.js';
import { makePage, opened, withoutSnapshots } from './faulty-turns.js';

afterAll(removeFiles);

const FLIPS = sampleSize(120);

/** Returns a text with one bit changed at a random place. */
function flipped(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const code = text.charCodeAt(at) ^ (1 << Math.floor(random() * 7));
  return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
}

const prototypeKeys = () => Reflect.ownKeys(Object.prototype).length;

/** Own keys named `__proto__`, which parsed JSON can have. */
const hostile = JSON.parse(
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"turnId":{"__proto__":null}}',
) as object;

describe.each(engines)('%s', (_, make) => {
  /** A chat of two turns whose page is closed. */
  async function twoTurns() {
    const engine = make();
    const page = makePage();
    const log = withoutSnapshots(engine.log);
    const first = page.open(log, [say('Hello.'), say('Again.')]);
    await first.send('Hi');
    await first.send('And?');
    await first.dispose();
    return { ...engine, log, page, whole: await log.load('chat-42') };
  }

  test('F16 detects every flipped bit of a record, and opens at the records before it', async () => {
    const { log, change, page, whole } = await twoTurns();
    const random = createDeterministicRandom(inject('propertySeed'));
    for (let count = 0; count < FLIPS; count++) {
      const index = Math.floor(random() * whole.records.length);
      let before = '';
      await change('records', index + 1, (text) => flipped((before = text), random));
      const loaded = await log.load('chat-42');
      expect(loaded).toMatchObject({ revision: index, damage: { details: { reason: 'damaged' } } });
      expect(loaded.records).toEqual(whole.records.slice(0, index));
      if (count % 10 === 0) {
        const session = await opened(page.open(log, []));
        expect(session.link.value.role).toBe('read-only');
        await session.dispose();
        expect(await log.load('chat-42')).toEqual(loaded);
      }
      await change('records', index + 1, () => before);
    }
    expect(await log.load('chat-42')).toEqual(whole);
  });

  test.each([
    ['fields named __proto__', (operation: Operation) => ({ ...operation, ...hostile })],
    ['a payload with __proto__', (operation: Operation) => ({ ...operation, text: hostile, delta: hostile })],
    ['another form', () => ({ type: 'completed', sequence: -1, at: 'now' })],
    ['a type of Object.prototype', (operation: Operation) => ({ ...operation, type: 'hasOwnProperty' })],
    ['no form', () => null],
  ])(
    'F16 shows a chat whose last record has operations with %s, changes no prototype and overwrites nothing',
    async (_what, spoil) => {
      const { log, page, whole } = await twoTurns();
      const keys = prototypeKeys();
      const lease = await log.claim('chat-42', 'other', 1_000);
      const last = whole.records.flatMap(({ operations }) => operations);
      const sequence = last.at(-1)!.sequence;
      const spoiled = last
        .slice(-6)
        .map((operation, at) => spoil({ ...operation, sequence: sequence + 1 + at }));
      const record = {
        version: 1,
        revision: lease.revision + 1,
        epoch: lease.epoch,
        operations: spoiled,
      } as unknown as LogRecord;
      await log.append(lease, record, { barrier: true });
      await log.release(lease);
      const stored = await log.load('chat-42');

      const session = await opened(page.open(log, [say('Next.')]));
      expect(session.turns.value.length).toBeGreaterThanOrEqual(2);
      expect(session.link.value.role).toMatch(/^(writer|read-only)$/);
      const sent = session.send('Go on').then(
        ({ text }) => text,
        ({ code }) => code,
      );
      expect(await sent).toEqual(expect.any(String));
      await session.dispose();
      expect(prototypeKeys()).toBe(keys);
      expect(({} as { polluted?: true }).polluted).toBeUndefined();
      // Records that were stored earlier stay unchanged.
      const { records } = await log.load('chat-42');
      expect(records.slice(0, stored.records.length)).toEqual(stored.records);
    },
  );

  test('F16 a session opens a record that is ten times as large as all other records together', async () => {
    const { log, page } = await twoTurns();
    const text = 'A long answer. '.repeat(400_000);
    const session = await opened(page.open(log, [say(text)]));
    await session.send('Tell me more');
    await session.dispose();
    const again = await opened(page.open(log, [say('Fine.')]));
    expect(again.turns.value).toEqual(session.turns.value);
    expect((await again.send('Thanks')).text).toBe('Fine.');
    await again.dispose();
  });
});
