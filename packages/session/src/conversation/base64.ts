/** Returns bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // In pieces, because a call cannot have as many arguments as a file has bytes.
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary);
}

/** Returns the bytes of base64. Throws for any other string. */
export function fromBase64(data: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
}

/** Returns true if a value is base64 of at least one byte, in one line and with padding. */
export function isBase64(value: unknown): value is string {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
}
