import { openStoragePage } from '../inputs/storage-page.mjs';

/** W16: the size of a stored chat while it grows to `size` turns, as a multiple of the JSON of its messages, the floor. */
export async function growStoredChat(create, { size }) {
  if (create().kept !== 'log') return { most: 1, afterSnapshot: 1 };
  const page = await openStoragePage();
  const { most, afterSnapshot } = await page.run('grow', size);
  await page.close();
  return { most, afterSnapshot };
}
