import assert from 'node:assert/strict';
import { openStoragePage } from '../inputs/storage-page.mjs';

/** Answers of each kind, in turns. */
const TIMES = 3;

/**
 * W14: an answer of `size` deltas, a thousand a second, in a page with a log and in a page without a log. Only the answer is measured: the
 * session is open, and has answered once.
 */
export async function streamToLog(create, { size }) {
  const { kept } = create();
  const page = await openStoragePage();
  const samples = [];
  for (let time = 0; time < TIMES; time++) {
    const bare = await answer(page, size, 'nothing');
    const own = await answer(page, size, kept);
    assert.equal(own.characters, bare.characters);
    samples.push({ tasks: own.tasks, perFlush: (own.tasks - bare.tasks) / own.flushes });
  }
  const longest = await longestTask(page, size, kept);
  const addedTask = longest - (await longestTask(page, size, 'nothing'));
  await page.close();
  return { tasks: middle(samples, 'tasks'), perFlush: middle(samples, 'perFlush'), addedTask };
}

async function answer(page, size, kept) {
  await page.run('prepare', size, kept);
  const answered = await page.run('stream');
  await page.run('end');
  return answered;
}

async function longestTask(page, size, kept) {
  await page.run('prepare', size, kept);
  const longest = await page.longestTask('stream');
  await page.run('end');
  return longest;
}

function middle(samples, key) {
  return samples.map((sample) => sample[key]).sort((a, b) => a - b)[TIMES >> 1];
}
