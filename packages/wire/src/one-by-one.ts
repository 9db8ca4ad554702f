const ended = { done: true, value: undefined } as const;

/**
 * Hands out what comes in batches one by one. What is there already costs a promise and no more; of an async generator, each
 * would cost three.
 *
 * @example
 * for await (const event of oneByOne(batches)) console.log(event.type);
 */
export function oneByOne<T>(batches: AsyncIterator<readonly T[], void>): AsyncIterableIterator<T, undefined> {
  let batch: readonly T[] = [];
  let at = 0;
  /** Calls of `next` that wait, and the last of them: whoever calls again meanwhile gets what comes after. */
  let waiting = 0;
  let latest: Promise<unknown> | undefined;

  const fetchNext = async (): Promise<IteratorResult<T, undefined>> => {
    try {
      while (at >= batch.length) {
        const { done, value } = await batches.next();
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
      await batches.return?.();
      return ended;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
