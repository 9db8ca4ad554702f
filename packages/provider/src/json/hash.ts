/**
 * Computes two hashes of a string, of 32 bits each: two multiplicative hashes that are mixed at the end. They are not cryptographic: another
 * string with the same hashes can be constructed, but does not occur by chance.
 */
export function hashesOf(text: string): readonly [number, number] {
  let first = 0xdeadbeef;
  let second = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x9e3779b1);
    second = Math.imul(second ^ code, 0x5f356495);
  }
  const mix = (one: number, other: number) =>
    (Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35)) >>> 0;
  return [mix(first, second), mix(second, first)];
}
