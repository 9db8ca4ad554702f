import { expect, test } from 'vitest';
import { oneByOne } from '../src/index.js';

function batches(...all: readonly (readonly number[] | Error)[]) {
  return () => Promise.resolve(batchesOf(all));
}

async function* batchesOf(all: readonly (readonly number[] | Error)[]) {
  for (const batch of all) {
    await Promise.resolve();
    if (batch instanceof Error) throw batch;
    yield batch;
  }
}

async function read(from: AsyncIterable<number>): Promise<number[]> {
  const seen: number[] = [];
  for await (const one of from) seen.push(one);
  return seen;
}

test('elements are delivered in order, and empty batches are skipped', async () => {
  expect(await read(oneByOne(batches([], [1], [2, 3], [], [4], [])))).toEqual([1, 2, 3, 4]);
});

test('several calls of next() at once get the elements in order', async () => {
  const all = oneByOne(batches([1, 2, 3], [4], [], [5, 6]));
  const asked = Array.from({ length: 8 }, () => all.next());
  expect((await Promise.all(asked)).map(({ value }) => value)).toEqual([
    1,
    2,
    3,
    4,
    5,
    6,
    undefined,
    undefined,
  ]);
});

test('a call of next() does not overtake calls that wait', async () => {
  const all = oneByOne(batches([1, 2, 3, 4]));
  const asked = [all.next(), all.next()];
  asked.push(asked[0]!.then(() => all.next()));
  expect((await Promise.all(asked)).map(({ value }) => value)).toEqual([1, 2, 3]);
});

test('an error is delivered after the elements before it, and ends the iteration', async () => {
  const all = oneByOne(batches([1, 2], new Error('broken')));
  expect([(await all.next()).value, (await all.next()).value]).toEqual([1, 2]);
  await expect(all.next()).rejects.toThrow('broken');
  expect(await all.next()).toEqual({ done: true, value: undefined });
});

test('return() ends the source and drops the elements that were not read', async () => {
  let isOver = false;
  const source = (async function* () {
    try {
      yield [1, 2, 3];
    } finally {
      isOver = true;
    }
  })();
  const all = oneByOne(() => Promise.resolve(source));
  for await (const one of all) {
    expect(one).toBe(1);
    break;
  }
  expect(isOver).toBe(true);
  expect(await all.next()).toEqual({ done: true, value: undefined });
});

test('a source that cannot be opened rejects the first next() and ends the iteration', async () => {
  const all = oneByOne<number>(() => Promise.reject(new Error('offline')));
  await expect(all.next()).rejects.toThrow('offline');
  expect(await all.next()).toEqual({ done: true, value: undefined });
});

test('return() before the first next() opens nothing', async () => {
  let opened = 0;
  const all = oneByOne<number>(() => {
    opened++;
    return Promise.resolve(batchesOf([[1]]));
  });
  await all.return?.();
  expect(await all.next()).toEqual({ done: true, value: undefined });
  expect(opened).toBe(0);
});
