/**
 * Random numbers in [0, 1) that are the same for the same seed, for the `random` port and for tests that shuffle.
 *
 * @param seed any integer; print it when a test fails
 * @example
 * const random = createDeterministicRandom(7);
 * const session = createAgentSession({ provider, ports: { random } });
 */
export function createDeterministicRandom(seed: number = 1): () => number {
  // Mulberry32: 32 bits of state, good enough for jitter and for choosing schedules.
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
