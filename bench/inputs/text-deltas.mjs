const words = ['the ', 'signal', ' flows', ' into ', 'a view', ', and ', 'then.', ' next', 'turn ', 'calls'];

/** Text in `count` deltas of 4 to 7 characters; the same count always gives the same deltas. */
export function textDeltas(count) {
  let seed = 12345;
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return words[seed % words.length];
  });
}
