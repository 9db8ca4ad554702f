import { openStoragePage } from '../inputs/storage-page.mjs';

/** W17: the writes of a session that is idle for `size` seconds. */
export async function idleWithLog(create, { size }) {
  const withLog = create().kept === 'log';
  const page = await openStoragePage();
  const { writes } = await page.run('idle', size, withLog);
  await page.close();
  return { writes };
}
