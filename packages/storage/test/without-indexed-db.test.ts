// A log of IndexedDB outside of browsers.
import { indexedDbLog } from '@banister/storage';
import { expect, test } from 'vitest';

test('AD-19 the error of an IndexedDB log in Node names the logs that work there', async () => {
  const error: unknown = await indexedDbLog()
    .load('chat')
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'storage', retry: 'after-action', details: { reason: 'unavailable' } });
  expect(String(error)).toContain('In Node use sqliteLog or sqliteMemory, in a test memoryLog or memoryMemory.');
});
