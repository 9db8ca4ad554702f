import type { MemoryItem, MemoryStore } from '@banister/session';
import { checkRevision } from '../memory/check-revision.js';
import { platformClock } from '../platform-clock.js';
import { Polling } from '../polling.js';
import { SqliteFile } from './sqlite-file.js';

const factTable = 'CREATE TABLE IF NOT EXISTS facts (id TEXT PRIMARY KEY, item TEXT NOT NULL);';
const UPSERT_FACT =
  'INSERT INTO facts (id, item) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET item = excluded.item';

/** A store of facts in a file. */
export interface SqliteMemory extends MemoryStore {
  /** Closes the file. The next call opens it again. */
  close(): void;
}

/**
 * A store of facts in a SQLite file, for Node, as `sqliteLog` keeps sessions. Both may have the same file. Several processes of one machine
 * can use the file: a subscription looks for changes of other processes four times a second.
 *
 * A failed call rejects with an error `storage`; `details.reason` is `quota` (the disk is full), `busy` (another process holds the file),
 * `newer` (a newer release has made the file), `damaged` (the file is not a database any more), `unavailable` (no driver) or `failed`.
 *
 * @param path the path of the file, which is created if it does not exist. `:memory:` stores nothing on disk
 * @example
 * const { domain, context, guard } = memory(sqliteMemory('chats.db'));
 */
export function sqliteMemory(path: string): SqliteMemory {
  const file = new SqliteFile(path, factTable, 'facts');
  const changes = new Polling(platformClock, () => file.hasChanged());

  async function change(id: string, expected: number | null, act: () => void): Promise<void> {
    await file.write(false, () => {
      const row = file.statement('SELECT item FROM facts WHERE id = ?').get(id);
      checkRevision(id, row === undefined ? undefined : itemIn(row), expected);
      act();
    });
    changes.announce('facts');
  }

  return {
    load: () => file.read(() => file.statement('SELECT item FROM facts').all().map(itemIn)),
    put: (item, expected) =>
      change(item.id, expected, () => file.statement(UPSERT_FACT).run(item.id, JSON.stringify(item))),
    remove: (id, expected) =>
      change(id, expected, () => file.statement('DELETE FROM facts WHERE id = ?').run(id)),
    subscribe(changed) {
      const end = new AbortController();
      const { signal } = end;
      const bell = changes.follow('facts', signal);
      void (async () => {
        let { rings } = bell;
        while (!signal.aborted) {
          await bell.wait(signal, rings);
          ({ rings } = bell);
          if (!signal.aborted) changed();
        }
      })();
      return () => end.abort();
    },
    close: () => file.close(),
  };
}

function itemIn(row: unknown): MemoryItem {
  return JSON.parse((row as { readonly item: string }).item) as MemoryItem;
}
