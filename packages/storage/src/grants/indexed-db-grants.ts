import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { Grant, GrantStore } from '@banister/session';
import { thawed } from '../indexed-db/thawed.js';

export interface IndexedDbGrantsOptions {
  /** The name of the database; one for each user of a page. Default `banister-grants`. */
  readonly name?: string | undefined;
}

interface Grants extends DBSchema {
  grants: { key: string; value: Grant };
}

/**
 * A store of grants in the browser, shared by all tabs of a page: a revocation in one of them stops calls in the others that have not started.
 * Anything on the page can write to it, as to everything that the page keeps. It rejects as the browser does, for example where a page may
 * keep nothing; the session asks the user then.
 *
 * @example
 * const session = createAgentSession({ provider, domains, guards, grants: indexedDbGrants() });
 */
export function indexedDbGrants({ name = 'banister-grants' }: IndexedDbGrantsOptions = {}): GrantStore {
  let opening: Promise<IDBPDatabase<Grants>> | null = null;
  const forget = () => {
    opening = null;
  };
  const open = async () => {
    await thawed();
    const database = (opening ??= openDB<Grants>(name, 1, {
      upgrade: (created) => void created.createObjectStore('grants', { keyPath: 'id' }),
      // Another page deletes the database, or opens a newer one: it waits until this connection is closed.
      blocking: (_from, _to, { target }) => {
        (target as IDBDatabase).close();
        forget();
      },
      terminated: forget,
    }));
    database.catch(forget);
    return database;
  };
  const changed = () => {
    const channel = new BroadcastChannel(name);
    channel.postMessage('changed');
    channel.close();
  };
  return {
    load: async () => (await open()).getAll('grants'),
    async put(grant) {
      await (await open()).put('grants', grant);
      changed();
    },
    async remove(id) {
      await (await open()).delete('grants', id);
      changed();
    },
    subscribe(listener) {
      const channel = new BroadcastChannel(name);
      channel.onmessage = () => listener();
      // A process of Node ends in spite of it.
      (channel as { unref?(): void }).unref?.();
      return () => channel.close();
    },
  };
}
