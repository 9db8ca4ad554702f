import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sqliteMemory } from '../../.cache/bench/node_modules/@banister/storage/dist/sqlite.js';

const words = 'release board team invoice contract server meeting Tuesday customer draft'.split(' ');

/** A store in a file with `count` facts of about 100 characters, a tenth of them pinned. `close` removes the file. */
export async function storedFacts(count) {
  const folder = mkdtempSync(path.join(tmpdir(), 'banister-bench-'));
  const store = sqliteMemory(path.join(folder, 'facts.db'));
  for (let number = 0; number < count; number++) {
    const text = Array.from({ length: 15 }, (_, at) => words[(number * 7 + at * at) % words.length]).join(
      ' ',
    );
    await store.put(
      {
        id: `fact${number}`,
        text: `${text} no${number}`,
        ...(number % 10 === 0 && { pinned: true }),
        source: { by: 'user' },
        at: number,
        changedAt: number,
        revision: 1,
      },
      null,
    );
  }
  return {
    store,
    close() {
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
