/** A result that is made once and shared. */
export interface KeptPromise<T> {
  /** The result. The first call makes it; a result that was rejected is made anew by the next call. */
  get(): Promise<T>;
  /** Drops the result: the next `get()` makes another one. */
  drop(): void;
}

/**
 * Keeps the promise that `make` returns, unless it rejects: a chunk that could not be loaded once may load the next time.
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
