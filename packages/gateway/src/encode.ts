const encoder = new TextEncoder();

/** Returns the UTF-8 bytes of a string. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}
