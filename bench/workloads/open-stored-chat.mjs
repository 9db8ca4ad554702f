import assert from 'node:assert/strict';
import { openStoragePage } from '../inputs/storage-page.mjs';

/** W15: a page that has just been loaded opens a stored chat of `size` messages. */
export async function openStoredChat(create, { size }) {
  const withLog = create().kept === 'log';
  const page = await openStoragePage();
  await page.run('store', size);
  await page.reload();
  const { opening, count } = await page.run('open', size, withLog);
  await page.close();
  assert.equal(count, size);
  return { opening };
}
