import { createDeterministicRandom } from '@banister/testing';

/**
 * Draws from a list without putting back.
 *
 * @param count how many; all of them, shuffled, where there are no more
 * @param seed the same seed draws the same ones
 */
export function draw<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  const random = createDeterministicRandom(seed);
  const left = [...all];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    const [one] = left.splice(Math.floor(random() * left.length), 1);
    if (one !== undefined) drawn.push(one);
  }
  return drawn;
}
