/**
 * Returns the 32-bit FNV-1a hash of a string. A change of one character always changes the hash. It detects damage; it does not
 * protect against an attack.
 */
export function checksum(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
