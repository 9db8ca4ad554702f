// Alone in its file: the question is asked once a page.
import { indexedDbLog } from '@banister/storage';
import { say } from '@banister/testing';
import { expect, test, vi } from 'vitest';
import { makePage } from './faulty-turns.js';

test('the first record of a session asks the browser, once a page, not to clear its storage', async () => {
  const persisted = vi.spyOn(navigator.storage, 'persisted').mockResolvedValue(false);
  const persist = vi.spyOn(navigator.storage, 'persist').mockResolvedValue(false);
  const page = makePage();
  for (let index = 0; index < 2; index++) {
    const session = page.open(indexedDbLog({ name: `kept-${index}` }), [say('Hello.')]);
    await session.send('Hi');
    await session.dispose();
  }
  expect([persisted.mock.calls.length, persist.mock.calls.length]).toEqual([1, 1]);
});
