import { savedState } from '@banister/session/log';
import { readLog } from '@banister/session/log';
import { exportLog, importLog } from '@banister/storage/jsonl';
import { say } from '@banister/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { engines } from './changed-rows.js';
import { removeFiles } from './temporary-folder.js';
import { makePage, opened, withoutSnapshots } from './faulty-turns.js';

afterAll(removeFiles);

const damages: readonly [string, (text: string) => string | null][] = [
  ['was cut', (text) => text.slice(0, -7)],
  ['has one other character', (text) => text.replace('sequence', 'sequencf')],
  ['is ten times as long', (text) => text.repeat(10)],
  ['is gone', () => null],
];

describe.each(engines)('%s', (_, make) => {
  test.each(damages)(
    'D8 opens at the records before a record that %s, says so, and overwrites nothing',
    async (_, change) => {
      const { log, change: changeRow } = make();
      const page = makePage();
      const first = page.open(withoutSnapshots(log), [say('Hello.'), say('Again.')]);
      await first.send('Hi');
      const { revision: good } = await log.load('chat-42');
      const before = first.turns.value;
      await first.send('And?');
      await first.dispose();
      const whole = await log.load('chat-42');
      await changeRow('records', good + 1, change);

      const loaded = await log.load('chat-42');
      expect(loaded.revision).toBe(good);
      expect(loaded.records).toEqual(whole.records.slice(0, good));
      expect(loaded.damage).toMatchObject({
        code: 'storage',
        retry: 'never',
        details: { reason: 'damaged' },
      });
      const tail = log.tail('chat-42', good, new AbortController().signal)[Symbol.asyncIterator]();
      await expect(tail.next()).rejects.toMatchObject({ details: { reason: 'damaged' } });

      const second = await opened(page.open(log, [say('Never.')]));
      expect(second.turns.value).toEqual(before);
      expect(second.link.value.role).toBe('read-only');
      await expect(second.send('More')).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringContaining(`its record ${good + 1} cannot be read`),
      });
      await second.dispose();
      expect(await log.load('chat-42')).toEqual(loaded);

      // A copy of the undamaged part can be continued.
      const lines: string[] = [];
      for await (const line of exportLog(log, 'chat-42')) lines.push(line);
      await importLog(log, 'copy', lines);
      expect(readLog(await log.load('copy')).state.turns).toEqual(before);
    },
  );

  test.each(damages)('D8 refuses to show a state from a snapshot that %s', async (_, change) => {
    const { log, change: changeRow } = make();
    const page = makePage();
    const first = page.open(log, [say('Hello.')]);
    await first.send('Hi');
    await first.dispose();
    const lease = await log.claim('chat-42', 'test', 1_000);
    await log.snapshot(lease, lease.revision, savedState(first.state));
    await log.release(lease);
    const lines: string[] = [];
    for await (const line of exportLog(log, 'chat-42')) lines.push(line);
    await changeRow('snapshots', lease.revision, change);
    const { snapshot, records, damage } = await log.load('chat-42');
    expect([snapshot, records]).toEqual([null, []]);
    expect(damage?.message).toContain('its snapshot cannot be read');
    const second = await opened(page.open(log, []));
    expect(second.link.value.role).toBe('read-only');
    await second.dispose();
    await expect(importLog(log, 'chat-42', lines)).rejects.toMatchObject({ details: { reason: 'exists' } });
  });
});
