/** Whether the browser can compress: all can since 2023. */
export const canPack = typeof CompressionStream !== 'undefined';

/** Compresses bytes. A snapshot has its texts twice, in the messages and in the records of turns: it shrinks to a fraction. */
export function pack(bytes: Uint8Array): Promise<Uint8Array> {
  return through(bytes, new CompressionStream('deflate-raw'));
}

/** Returns the bytes before `pack`. Rejects when they are damaged. */
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
