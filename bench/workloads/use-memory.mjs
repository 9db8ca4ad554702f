import assert from 'node:assert/strict';
import { storedFacts } from '../inputs/stored-facts.mjs';
import { measured } from './measured.mjs';

/** W26: a store of `size` facts is opened, a line of its facts is made, and a word is searched. */
export async function useMemory(create, { size }) {
  const { store, close } = await storedFacts(size);
  // The file is open, and its driver loaded: a session has both for its log.
  await store.load();
  let facts, count, line, found;
  const opening = await measured(async () => {
    facts = create(store);
    count = await facts.open();
  });
  const lining = await measured(async () => (line = await facts.line()));
  const searching = await measured(async () => (found = await facts.search('invoice')));
  facts.end();
  close();
  assert.equal(count, size);
  assert.ok(line.length > 1_500);
  assert.equal(found, 20);
  return { opening: opening.cpuUs / 1000, line: lining.cpuUs / 1000, search: searching.cpuUs / 1000 };
}
