import assert from 'node:assert/strict';
import { openStoragePage } from '../inputs/storage-page.mjs';

/** W14: an answer of `size` deltas, a thousand a second, in a page with a log and in one without. */
export async function streamToLog(create, { size }) {
  const { withLog } = create();
  const page = await openStoragePage();
  const without = await page.run('stream', size, false, false);
  const own = withLog ? await page.run('stream', size, true, false) : without;
  const { longest: longestWithout } = await page.run('stream', size, false, true);
  const { longest } = withLog ? await page.run('stream', size, true, true) : { longest: longestWithout };
  await page.close();
  assert.equal(own.characters, without.characters);
  return {
    tasks: own.tasks,
    perFlush: withLog ? (own.tasks - without.tasks) / own.flushes : 0,
    addedTask: longest - longestWithout,
  };
}
