import { isJsonObject, type JsonValue } from '@handrail/session';

const KEY = 'handrail.removed-chats';

/** A chat that the user has removed, and can still bring back. */
export interface Removal {
  /** When it was removed, in milliseconds since the epoch. */
  readonly at: number;
}

/** The chats that are removed once nothing can bring them back any more. In the storage of the origin, so that a reload changes nothing. */
export interface Removals {
  all(): Readonly<Record<string, Removal>>;
  add(id: string, removal: Removal): void;
  drop(id: string): void;
}

export function createRemovals(storage: Pick<Storage, 'getItem' | 'setItem'>): Removals {
  /** The removals of a page whose storage is forbidden. */
  let kept: Readonly<Record<string, Removal>> = {};
  const all = (): Readonly<Record<string, Removal>> => {
    try {
      return removalsIn(JSON.parse(storage.getItem(KEY) ?? '{}') as JsonValue);
    } catch {
      return kept;
    }
  };
  const keep = (removals: Readonly<Record<string, Removal>>): void => {
    kept = removals;
    try {
      storage.setItem(KEY, JSON.stringify(removals));
    } catch {
      // Full or forbidden: they are known to this page.
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
      isJsonObject(removal) && typeof removal.at === 'number' ? [[id, { at: removal.at }]] : [],
    ),
  );
}
