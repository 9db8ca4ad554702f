/** The first bytes of each type that is recognised; null stands for any byte. */
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
 * Returns the type of a content, which its first bytes tell: an image that the model APIs read, a PDF, or `text/plain` for valid UTF-8.
 * Undefined for any other content.
 */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const known = signatures.find(([, start]) =>
    start.every((byte, at) => byte === null || bytes[at] === byte),
  );
  return known?.[0] ?? (isText(bytes) ? 'text/plain' : undefined);
}

/** Whether the bytes are valid UTF-8 without NUL, which no text has. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
