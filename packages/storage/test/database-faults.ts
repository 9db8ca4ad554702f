// Faults of a database, for tests. They are put into the k-th transaction.

/** The fault of a transaction. */
export type DatabaseFault =
  /** A request fails: no room. */
  | 'quota on put'
  /** The commit is refused: the transaction fires `abort`, but no request fires an error. */
  | 'quota on commit'
  | 'abort without an error'
  /** The connection is lost before the transaction begins. */
  | 'lost before'
  /** The connection is lost during a write, and a request fails. */
  | 'lost at a write'
  /** The connection is lost after the commit, and no event reports the commit. */
  | 'lost after the commit'
  /** The commit is reported late. */
  | 'slow';

export const databaseFaults: readonly DatabaseFault[] = [
  'quota on put',
  'quota on commit',
  'abort without an error',
  'lost before',
  'lost at a write',
  'lost after the commit',
  'slow',
];

/** How late a slow transaction is reported, in milliseconds. */
const LATE = 120;

const { transaction: original } = IDBDatabase.prototype;

/**
 * Counts the transactions of this page from now on, and breaks some.
 *
 * @param isSpoiled returns whether the fault happens to the transaction with this number; the first is 1
 */
export function spoilTransactions(fault: DatabaseFault, isSpoiled: (number: number) => boolean) {
  let count = 0;
  IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args) {
    // The browser itself starts the transaction in which a database is made.
    if ((args[1] as string) === 'versionchange') return original.apply(this, args);
    const isThis = isSpoiled(++count);
    if (isThis && fault === 'lost before')
      throw new DOMException('The database connection is closing.', 'InvalidStateError');
    const transaction = original.apply(this, args);
    if (isThis) spoil(transaction, fault);
    return transaction;
  };
  return {
    get count() {
      return count;
    },
    end() {
      IDBDatabase.prototype.transaction = original;
    },
  };
}

function spoil(transaction: IDBTransaction, fault: DatabaseFault): void {
  const hasError = (name: string) =>
    Object.defineProperty(transaction, 'error', {
      value: new DOMException('A fault of the test.', name),
      configurable: true,
    });
  if (fault === 'abort without an error') queueMicrotask(() => transaction.abort());
  if (fault === 'slow') report(transaction, (complete) => setTimeout(complete, LATE));
  if (fault === 'lost after the commit') {
    report(transaction, (_, abort) => {
      hasError('UnknownError');
      abort();
    });
  }
  if (transaction.mode === 'readonly') return;
  if (fault === 'quota on commit') {
    hasError('QuotaExceededError');
    onFirstPut(transaction, () => queueMicrotask(() => transaction.abort()));
  }
  if (fault === 'quota on put') failFirstPut(transaction, 'QuotaExceededError');
  if (fault === 'lost at a write') failFirstPut(transaction, 'UnknownError');
}

/**
 * Makes the first write request fail as in a browser: first the request has the error, then its transaction,
 * which is aborted.
 */
function failFirstPut(transaction: IDBTransaction, name: string): void {
  const error = new DOMException('A fault of the test.', name);
  onFirstPut(transaction, (store, args) => {
    // The row exists now, so the request fails. The test's error replaces the original error.
    const request = store.add(...args);
    for (const target of [transaction, request]) replaceError(target, error);
  });
}

function replaceError(target: IDBTransaction | IDBRequest, error: DOMException): void {
  const { get } = Object.getOwnPropertyDescriptor(
    target instanceof IDBTransaction ? IDBTransaction.prototype : IDBRequest.prototype,
    'error',
  )!;
  Object.defineProperty(target, 'error', { get: () => (get!.call(target) === null ? null : error) });
}

/** Calls `act` after the first write request. */
function onFirstPut(
  transaction: IDBTransaction,
  act: (store: IDBObjectStore, args: Parameters<IDBObjectStore['put']>) => void,
): void {
  const { objectStore } = transaction;
  let isFirst = true;
  transaction.objectStore = (name) => {
    const store = objectStore.call(transaction, name);
    const { put } = store;
    store.put = (...args) => {
      const request = put.apply(store, args);
      if (isFirst) act(store, args);
      isFirst = false;
      return request;
    };
    return store;
  };
}

/** Reports the commit of a transaction in another way. */
function report(transaction: IDBTransaction, how: (complete: () => void, abort: () => void) => void): void {
  const listeners = new Map<string, (event: Event) => void>();
  const { addEventListener } = transaction;
  const replaced = (type: string, listener: (event: Event) => void) => {
    listeners.set(type, listener);
    const told = (event: Event) =>
      how(
        () => listener(event),
        () => listeners.get('abort')?.(event),
      );
    addEventListener.call(transaction, type, type === 'complete' ? told : listener);
  };
  transaction.addEventListener = replaced as typeof transaction.addEventListener;
}
