import type { JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';

const KEY = 'banister.removed-chats';

/** A chat that the user has removed, and can still bring back. */
export interface Removal {
  /** When it was removed, in milliseconds since the epoch. */
  readonly at: number;
  /** The title of the chat, if the log does not know the chat; absent in the storage of earlier releases. */
  readonly title?: string;
}

/**
 * The chats that will be removed when the offer to bring them back has expired. They are in the storage of
 * the origin, so that a reload changes nothing.
 */
export interface Removals {
  all(): Readonly<Record<string, Removal>>;
  add(id: string, removal: Removal): void;
  drop(id: string): void;
}

export function createRemovals(storage: Pick<Storage, 'getItem' | 'setItem'>): Removals {
  /**
   * The removals that only this page has, because its storage is full or forbidden; null if the storage has
   * them.
   */
  let kept: Readonly<Record<string, Removal>> | null = null;
  const all = (): Readonly<Record<string, Removal>> => {
    if (kept !== null) return kept;
    try {
      return removalsIn(JSON.parse(storage.getItem(KEY) ?? '{}') as JsonValue);
    } catch {
      return {};
    }
  };
  const keep = (removals: Readonly<Record<string, Removal>>): void => {
    try {
      storage.setItem(KEY, JSON.stringify(removals));
      kept = null;
    } catch {
      kept = removals;
    }
  };
  return {
    all,
    add: (id, removal) => keep({ ...all(), [id]: removal }),
    drop(id) {
      const { [id]: _, ...others } = all();
      keep(others);
    },
  };
}

function removalsIn(value: JsonValue): Readonly<Record<string, Removal>> {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([id, removal]) =>
      isJsonObject(removal) && typeof removal.at === 'number'
        ? [[id, { at: removal.at, ...(typeof removal.title === 'string' ? { title: removal.title } : {}) }]]
        : [],
    ),
  );
}
