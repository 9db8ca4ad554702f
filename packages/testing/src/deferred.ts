/** A promise with its handles outside, for doubles that a test settles. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
  reject(reason: unknown): void;
}

/** `Promise.withResolvers`, which Node 20 does not have yet. Its rejection counts as handled. */
export function deferred<T = void>(): Deferred<T> {
  let handles: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    handles = { resolve, reject };
  });
  // A double whose promise is not awaited must not bring down the test that made it.
  promise.catch(() => {});
  return {
    promise,
    resolve: (value) => handles?.resolve(value),
    reject: (reason) => handles?.reject(reason),
  };
}
