import assert from 'node:assert/strict';
import { openStoragePage } from '../inputs/storage-page.mjs';

/** A page also does other work, such as a garbage collection: the least of these measurements is that of the answer. */
const TIMES = 3;

/** W14: an answer of `size` deltas, a thousand a second, in a page with a log and in one without. */
export async function streamToLog(create, { size }) {
  const { withLog } = create();
  const page = await openStoragePage();
  const [bare, logged] = [[], []];
  for (let time = 0; time < TIMES; time++) {
    bare.push(await page.run('stream', size, false, false));
    if (withLog) logged.push(await page.run('stream', size, true, false));
  }
  const without = least(bare);
  const own = withLog ? least(logged) : without;
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

function least(answers) {
  return answers.reduce((one, other) => (other.tasks < one.tasks ? other : one));
}
