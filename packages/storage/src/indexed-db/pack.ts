/** Whether the browser can compress. All browsers can since 2023. */
export const canPack = typeof CompressionStream !== 'undefined';

/** Compresses bytes. A snapshot shrinks a lot because the names of its fields occur in every turn. */
export function pack(bytes: Uint8Array): Promise<Uint8Array> {
  return through(bytes, new CompressionStream('deflate-raw'));
}

/** Reverses `pack`. Rejects if the bytes are damaged. */
export async function unpack(bytes: Uint8Array): Promise<Uint8Array> {
  return through(bytes, new DecompressionStream('deflate-raw'));
}

async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const body = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(body).arrayBuffer());
}
