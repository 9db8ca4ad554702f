/** The part of a storage of the browser that this app uses. */
export type PageStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Returns a storage of the browser; where its settings forbid it, one that lives as long as the page. */
export function pageStorage(open: () => Storage): PageStorage {
  try {
    return open();
  } catch {
    const items = new Map<string, string>();
    return {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: (key) => void items.delete(key),
    };
  }
}
