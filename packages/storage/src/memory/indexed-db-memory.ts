import { unwrap, type DBSchema } from 'idb';
import type { MemoryItem, MemoryStore } from '@banister/session';
import { changesOf } from '../indexed-db/changes-of.js';
import { Database } from '../indexed-db/database.js';
import { platformClock } from '../platform-clock.js';
import { checkRevision } from './check-revision.js';

/** Options of {@link indexedDbMemory}. */
export interface IndexedDbMemoryOptions {
  /** The name of the database; use a different name for each user of a page. Default `banister-memory`. */
  readonly name?: string | undefined;
}

interface FactStores extends DBSchema {
  facts: { key: string; value: MemoryItem };
}

/**
 * A store of facts in the browser, shared by all tabs of an origin. Any script of the page can write to the store.
 *
 * A failed call rejects with an error `storage` that has words for the user; `details.reason` is `quota`, `unavailable`, `blocked`,
 * `no-answer`, `newer`, `connection` or `failed`, as for `indexedDbLog`.
 *
 * @example
 * const { domain, context, guard } = memory(indexedDbMemory());
 */
export function indexedDbMemory({ name = 'banister-memory' }: IndexedDbMemoryOptions = {}): MemoryStore {
  const database = new Database<FactStores>(name, platformClock, 'facts', (created) => {
    created.createObjectStore('facts', { keyPath: 'id' });
  });
  const { changed, subscribe } = changesOf(name);

  /** Changes a fact. If the connection was lost, the change may have been made, and is not made again. */
  async function change(id: string, expected: number | null, item: MemoryItem | null): Promise<void> {
    await database.run(['facts'], 'readwrite', 'strict', async (transaction, isRepeated) => {
      const facts = transaction.objectStore('facts');
      const stored = await facts.get(id);
      if (isRepeated && JSON.stringify(stored ?? null) === JSON.stringify(item)) return;
      checkRevision(id, stored, expected);
      // Without idb's promise: the error of the transaction says more than that of a request.
      const bare = unwrap(facts);
      if (item === null) bare.delete(id);
      else bare.put(item);
    });
    changed();
  }

  return {
    load: () =>
      database.run(['facts'], 'readonly', 'default', (transaction) =>
        transaction.objectStore('facts').getAll(),
      ),
    put: (item, expected) => change(item.id, expected, item),
    remove: (id, expected) => change(id, expected, null),
    subscribe,
  };
}
