let isAsked = false;

/** Asks the browser, once a page, not to clear the storage of this origin. The browser may ask the user, or refuse. */
export async function keepStorage(): Promise<void> {
  const storage = globalThis.navigator?.storage as Partial<StorageManager> | undefined;
  if (isAsked || !storage?.persist) return;
  isAsked = true;
  try {
    if (!(await storage.persisted?.())) await storage.persist();
  } catch {
    // The log works without it, until the browser needs space.
  }
}
