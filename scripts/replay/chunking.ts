/** How a body is divided into writes: as a whole, after a fixed number of bytes, or at random positions that a seed repeats. */
export type Chunking =
  | { readonly kind: 'whole' }
  | { readonly kind: 'fixed'; readonly size: number }
  | { readonly kind: 'random'; readonly seed: number };

/** The largest piece of a random chunking, in bytes. */
const LARGEST = 64;

/** Parses `whole`, a number, or `random:SEED`; null for any other string. */
export function parseChunking(text: string): Chunking | null {
  if (text === 'whole') return { kind: 'whole' };
  if (/^[1-9]\d*$/.test(text)) return { kind: 'fixed', size: Number(text) };
  const seed = /^random:(\d+)$/.exec(text)?.[1];
  return seed === undefined ? null : { kind: 'random', seed: Number(seed) };
}

/** The pieces of a body. */
export function* chunksOf(body: Buffer, chunking: Chunking): Generator<Buffer, void, undefined> {
  const next = sizes(chunking);
  for (let at = 0; at < body.length;) {
    const size = next();
    yield body.subarray(at, at + size);
    at += size;
  }
}

function sizes(chunking: Chunking): () => number {
  if (chunking.kind === 'whole') return () => Infinity;
  if (chunking.kind === 'fixed') return () => chunking.size;
  let state = chunking.seed >>> 0;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return 1 + Math.floor((state / 2 ** 32) * LARGEST);
  };
}
