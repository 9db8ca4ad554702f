import { expect, test } from 'vitest';
import { oneByOne } from '../src/index.js';

async function* batches(...all: readonly (readonly number[] | Error)[]) {
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

test('everything comes in order, batches of nothing are passed over', async () => {
  expect(await read(oneByOne(batches([], [1], [2, 3], [], [4], [])))).toEqual([1, 2, 3, 4]);
});

test('whoever asks several times at once gets the same', async () => {
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

test('asking in between while others wait does not overtake them', async () => {
  const all = oneByOne(batches([1, 2, 3, 4]));
  const asked = [all.next(), all.next()];
  asked.push(asked[0]!.then(() => all.next()));
  expect((await Promise.all(asked)).map(({ value }) => value)).toEqual([1, 2, 3]);
});

test('an error comes after what was there before it, and then nothing', async () => {
  const all = oneByOne(batches([1, 2], new Error('broken')));
  expect([(await all.next()).value, (await all.next()).value]).toEqual([1, 2]);
  await expect(all.next()).rejects.toThrow('broken');
  expect(await all.next()).toEqual({ done: true, value: undefined });
});

test('leaving ends the source, and drops what was not yet taken', async () => {
  let isOver = false;
  const source = (async function* () {
    try {
      yield [1, 2, 3];
    } finally {
      isOver = true;
    }
  })();
  const all = oneByOne(source);
  for await (const one of all) {
    expect(one).toBe(1);
    break;
  }
  expect(isOver).toBe(true);
  expect(await all.next()).toEqual({ done: true, value: undefined });
});
