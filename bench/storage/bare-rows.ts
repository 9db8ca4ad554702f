/** The rows of bare transactions, the floor of a flush. */
export interface BareRows {
  /** Puts a row: one transaction that gets a row and puts one. Resolves when it is complete. */
  put(text: string): Promise<void>;
}

export async function openBareRows(name: string): Promise<BareRows> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open(name);
    request.onupgradeneeded = () => request.result.createObjectStore('rows', { keyPath: 'revision' });
    request.onsuccess = () => resolve(request.result);
  });
  let revision = 0;
  return {
    put: (text) =>
      new Promise((resolve) => {
        const transaction = database.transaction('rows', 'readwrite', { durability: 'relaxed' });
        const rows = transaction.objectStore('rows');
        rows.get(revision).onsuccess = () => {
          revision++;
          rows.put({ revision, text });
        };
        transaction.oncomplete = () => resolve();
      }),
  };
}
