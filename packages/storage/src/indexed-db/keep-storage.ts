let isAsked = false;

/** Asks the browser, once a page, not to clear the storage of this origin by itself. It may ask the user, or refuse. */
export async function keepStorage(): Promise<void> {
  const storage = globalThis.navigator?.storage as Partial<StorageManager> | undefined;
  if (isAsked || !storage?.persist) return;
  isAsked = true;
  try {
    if (!(await storage.persisted?.())) await storage.persist();
  } catch {
    // The log works all the same, until the browser needs room.
  }
}
