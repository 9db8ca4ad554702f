/**
 * Returns the FNV-1a hash of a text, 32 bits. A change of one character always changes it: it finds damage, and protects against no
 * attack.
 */
export function checksum(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
