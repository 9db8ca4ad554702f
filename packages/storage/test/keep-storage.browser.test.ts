// Runs in its own frame, because the browser is asked only once per page.
import { expect, test, vi } from 'vitest';
import { openFrame } from './tab-frame.js';

test('the browser is asked once per page not to clear its storage', async () => {
  const frame = await openFrame();
  const { storage } = frame.window.navigator;
  const persisted = vi.spyOn(storage, 'persisted').mockResolvedValue(false);
  const persist = vi.spyOn(storage, 'persist').mockResolvedValue(false);
  for (let index = 0; index < 2; index++) {
    const { session } = frame.openTab({ name: `kept-${index}` });
    await session.send('Hi');
    await session.dispose();
  }
  expect([persisted.mock.calls.length, persist.mock.calls.length]).toEqual([1, 1]);
  frame.end();
});
