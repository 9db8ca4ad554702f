import { createDeterministicRandom } from '@banister/testing';

/**
 * Draws elements of a list, each at most once.
 *
 * @param count how many; if the list has fewer, all of them, shuffled
 * @param seed the same seed draws the same elements
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
