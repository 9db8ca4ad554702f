import type { SessionLog } from '@banister/session';
import type { Clock } from '@banister/provider';
import { indexedDbLog } from '@banister/storage';
import { indexedDbGrants } from '@banister/storage/grants';
import type { PageStorage } from './page-storage.js';

/** The name of the product until version 0.1. Everything that the browser stored then has this name. */
export const EARLIER = 'handrail';
const NAME = 'banister';
/** Set when everything has moved. */
const MOVED = `${NAME}.moved`;

const ownWords = new Set(['read_context', 'list_domains', 'use_domain', 'output', 'replay', 'hosted']);

/**
 * Moves the items of a browser storage from the old product name to the new name. Existing items with the new
 * name stay.
 */
export function moveItems(storage: PageStorage): void {
  try {
    for (const item of ['board', 'chat', 'removed-chats', 'view', 'conversation']) {
      const value = storage.getItem(`${EARLIER}.${item}`);
      if (value === null) continue;
      if (storage.getItem(`${NAME}.${item}`) === null) storage.setItem(`${NAME}.${item}`, value);
      storage.removeItem(`${EARLIER}.${item}`);
    }
  } catch {
    // The storage is full or forbidden: the items stay, and the next visit tries again.
  }
}

/**
 * Moves the chats and the grants that the browser stored under the old name, once. If that fails, they stay,
 * and the next visit tries again. A chat that has moved already is not changed.
 */
export async function moveChats(storage: PageStorage): Promise<void> {
  if (storage.getItem(MOVED) !== null) return;
  try {
    await alone(async () => {
      if (await mayExist(EARLIER)) await moveLog();
      if (await mayExist(`${EARLIER}-grants`)) await moveGrants();
    });
    storage.setItem(MOVED, '1');
  } catch {
    // The log of the page gets the same error, and shows it.
  }
}

/**
 * If the browser has locks, one tab at a time moves chats. Without locks, the lease of each chat keeps the
 * tabs apart.
 */
async function alone(move: () => Promise<void>): Promise<void> {
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  return locks ? locks.request(MOVED, move) : move();
}

async function mayExist(database: string): Promise<boolean> {
  const { indexedDB } = globalThis as { indexedDB?: Partial<IDBFactory> };
  if (!indexedDB) return false;
  const databases = await indexedDB.databases?.();
  return databases === undefined || databases.some(({ name }) => name === database);
}

async function moveLog(): Promise<void> {
  let now = Date.now();
  const clock: Clock = {
    now: () => now,
    schedule(callback, ms) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  const from = indexedDbLog({ name: EARLIER });
  const to = indexedDbLog({ clock });
  for (const { id, title, note, updatedAt } of [...(await from.list())].reverse()) {
    // The list of chats is sorted by this time.
    now = updatedAt;
    await moveChat(from, to, id);
    await to.describe(id, { title, ...(note !== undefined && { note }) });
  }
  await deleted(EARLIER);
}

async function moveChat(from: SessionLog, to: SessionLog, id: string): Promise<void> {
  const lease = await to.claim(id, MOVED, 5_000);
  if (lease.revision === 0) {
    const { snapshot, records } = await from.load(id);
    let revision = 0;
    const { epoch } = lease;
    if (snapshot !== null) {
      // A snapshot needs a record.
      await to.append(lease, { version: 1, revision: ++revision, epoch, operations: [] }, { barrier: true });
      await to.snapshot(lease, revision, renamed(snapshot));
    }
    for (const record of records)
      await to.append(lease, renamed({ ...record, revision: ++revision, epoch }), { barrier: true });
  }
  await to.release(lease);
}

async function moveGrants(): Promise<void> {
  const to = indexedDbGrants();
  for (const grant of await indexedDbGrants({ name: `${EARLIER}-grants` }).load())
    await to.put(renamed(grant));
  await deleted(`${EARLIER}-grants`);
}

/**
 * Resolves without waiting for open pages of version 0.1. The browser deletes the database when these pages
 * close it.
 */
function deleted(database: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(database);
    request.onsuccess = request.onblocked = () => resolve();
    request.onerror = () => reject(request.error ?? new Error(`${database} cannot be deleted.`));
  });
}

/** Renames the library's own tools and guards, and the mark of the undo data of stores. Texts of the user and of the model stay. */
function renamed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) => {
    if (typeof part === 'string') {
      const [first, word = ''] = part.split('.', 2);
      return first === EARLIER && ownWords.has(word) && part === `${first}.${word}`
        ? `${NAME}.${word}`
        : part;
    }
    if (typeof part !== 'object' || part === null || !(`${EARLIER}Store` in part)) return part;
    const { [`${EARLIER}Store`]: version, ...rest } = part;
    return { [`${NAME}Store`]: version, ...rest };
  }) as T;
}
