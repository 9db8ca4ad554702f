/** Returns bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // In pieces: the bytes of a whole file are more arguments than a call may have.
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary);
}

/** Returns the bytes of base64. Throws for any other text. */
export function fromBase64(data: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
}
