import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { Grant, GrantStore } from '@banister/session';
import { changesOf } from '../indexed-db/changes-of.js';
import { thawed } from '../indexed-db/thawed.js';

export interface IndexedDbGrantsOptions {
  /** The name of the database; use a different name for each user of a page. Default `banister-grants`. */
  readonly name?: string | undefined;
}

interface Grants extends DBSchema {
  grants: { key: string; value: Grant };
}

/**
 * A store of grants in the browser, shared by all tabs of an origin. If a tab revokes a grant, calls in other tabs that have not started
 * are stopped. Any script of the page can write to the store. Its methods reject with the browser's error, for example if the page may
 * not store data; the session asks the user then.
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
      // Another page wants to delete the database or open a newer version: close this connection so that it can.
      blocking: (_from, _to, { target }) => {
        (target as IDBDatabase).close();
        forget();
      },
      terminated: forget,
    }));
    database.catch(forget);
    return database;
  };
  const { changed, subscribe } = changesOf(name);
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
    subscribe,
  };
}
