/** A promise with its `resolve` and `reject`, for doubles that a test settles. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
  reject(reason: unknown): void;
}

/** Like `Promise.withResolvers`, which Node 20 does not have. Its rejection counts as handled. */
export function deferred<T = void>(): Deferred<T> {
  let handles: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    handles = { resolve, reject };
  });
  // If a test does not await the promise of a double, its rejection must not fail the test run.
  promise.catch(() => {});
  return {
    promise,
    resolve: (value) => handles?.resolve(value),
    reject: (reason) => handles?.reject(reason),
  };
}
