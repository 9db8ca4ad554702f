/** The first bytes of each recognised type; null stands for any byte. */
const signatures: readonly (readonly [mediaType: string, bytes: readonly (number | null)[]])[] = [
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/gif', ascii('GIF8')],
  ['image/webp', [...ascii('RIFF'), null, null, null, null, ...ascii('WEBP')]],
  ['application/pdf', ascii('%PDF-')],
];

function ascii(text: string): readonly number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

/**
 * Returns the media type that the first bytes of a content show: an image type that the model APIs accept, a PDF, or `text/plain` for valid
 * UTF-8. Undefined for any other content.
 */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const known = signatures.find(([, start]) =>
    start.every((byte, at) => byte === null || bytes[at] === byte),
  );
  return known?.[0] ?? (isText(bytes) ? 'text/plain' : undefined);
}

/** Returns true if the bytes are valid UTF-8 without NUL, which does not occur in texts. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
