const ended = { done: true, value: undefined } as const;

/** A source without a single batch. */
const empty = { next: () => Promise.resolve(ended) };

/**
 * Delivers the elements of batches one by one. An element that has arrived already costs one promise; in an
 * async generator it would cost three.
 *
 * @param open called once, at the first `next()`. If it rejects, the error is delivered like an error of the
 * source.
 *
 * @example
 * for await (const event of oneByOne(async () => batches)) console.log(event.type);
 */
export function oneByOne<T>(
  open: () => Promise<AsyncIterator<readonly T[], void>>,
): AsyncIterable<T> & AsyncIterator<T, undefined> {
  let source: AsyncIterator<readonly T[], void> | undefined;
  let opening: Promise<AsyncIterator<readonly T[], void>> | undefined;
  let batch: readonly T[] = [];
  let at = 0;
  /**
   * The number of `next()` calls that wait for a batch. Each further call is chained to the latest call, so
   * that the order holds.
   */
  let waiting = 0;
  let latest: Promise<unknown> | undefined;

  const openOnce = (): Promise<AsyncIterator<readonly T[], void>> =>
    (opening ??= open().then(
      (opened) => (source = opened),
      (error: unknown) => {
        source = empty;
        throw error;
      },
    ));

  const fetchNext = async (): Promise<IteratorResult<T, undefined>> => {
    try {
      while (at >= batch.length) {
        const { done, value } = await (source ?? (await openOnce())).next();
        if (done === true) return ended;
        batch = value;
        at = 0;
      }
      return { done: false, value: batch[at++]! };
    } finally {
      waiting--;
    }
  };

  return {
    next() {
      if (waiting === 0 && at < batch.length) return Promise.resolve({ done: false, value: batch[at++]! });
      const result = waiting++ === 0 ? fetchNext() : latest!.then(fetchNext, fetchNext);
      latest = result;
      return result;
    },
    async return() {
      batch = [];
      if (opening === undefined) source = empty;
      else await opening.catch(() => {});
      await source?.return?.();
      return ended;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
