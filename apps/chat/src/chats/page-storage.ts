/** The part of a browser storage that this app uses. */
export type PageStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Returns a storage of the browser. If the browser's settings forbid it, returns a storage that lives as long
 * as the page.
 */
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
