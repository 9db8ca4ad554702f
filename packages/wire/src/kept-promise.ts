/** A result that is made once and shared. */
export interface KeptPromise<T> {
  /** Returns the result. The first call makes it. If it was rejected, the next call makes it again. */
  get(): Promise<T>;
  /** Drops the result. The next `get()` makes a new one. */
  drop(): void;
}

/**
 * Keeps the promise that `make` returns, unless it rejects, because a chunk that failed to load once may load
 * the next time.
 *
 * @example
 * const connection = keptPromise(() => connect(options));
 * const { client } = await connection.get();
 */
export function keptPromise<T>(make: () => Promise<T>): KeptPromise<T> {
  let kept: Promise<T> | undefined;
  return {
    get: () =>
      (kept ??= make().catch((error: unknown) => {
        kept = undefined;
        throw error;
      })),
    drop: () => {
      kept = undefined;
    },
  };
}
