/** Holds bytes of an event stream back until the event that they belong to is whole. */
export interface EventGate {
  /** The whole events that this chunk completes, as bytes; null while there is none. */
  push(chunk: Uint8Array): Uint8Array | null;
  /** What never became whole. */
  rest(): Uint8Array;
  /** Bytes of the longest event so far, that one included which is not whole yet. */
  readonly longest: number;
}

const LF = 10;
const CR = 13;

/**
 * The official client searches all that it has not yet read again with every chunk; an event that arrives in many
 * pieces would cost it the square of its length. Here every byte is looked at once.
 */
export function createEventGate(): EventGate {
  let pieces: Uint8Array[] = [];
  let held = 0;
  /** Line ends without anything between them: the second one ends an event. */
  let lineEnds = 0;
  let last = 0;
  let longest = 0;

  const take = (): Uint8Array => {
    const whole = concatenate(pieces, held);
    pieces = [];
    held = 0;
    return whole;
  };
  const hold = (bytes: Uint8Array): void => {
    if (bytes.length > 0) pieces.push(bytes);
    held += bytes.length;
  };

  /** Nearly every stream ends its lines with LF alone: then it is a search, which is native, and no walk. */
  const readPlain = (chunk: Uint8Array, end: (at: number) => void): void => {
    let behind = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, behind)) {
      lineEnds = at === behind ? lineEnds + 1 : 1;
      behind = at + 1;
      if (lineEnds >= 2) end(behind);
    }
    if (behind < chunk.length) lineEnds = 0;
    last = chunk[chunk.length - 1] ?? last;
  };

  const readAny = (chunk: Uint8Array, end: (at: number) => void): void => {
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte === LF) {
        if (last !== CR) lineEnds++; // CR LF is one line end
        if (lineEnds >= 2) end(i + 1);
      } else if (byte === CR) {
        lineEnds++;
        // After CR LF CR, an LF has yet to come.
        if (lineEnds >= 2 && last === CR) end(i + 1);
      } else {
        lineEnds = 0;
      }
      last = byte;
    }
  };

  return {
    get longest() {
      return longest;
    },
    push(chunk) {
      let cut = 0;
      /** Where the event began; before the chunk, where bytes are held. */
      let start = -held;
      const end = (at: number): void => {
        longest = Math.max(longest, at - start);
        cut = start = at;
      };
      if (last !== CR && !chunk.includes(CR)) readPlain(chunk, end);
      else readAny(chunk, end);
      longest = Math.max(longest, chunk.length - start);
      hold(chunk.subarray(0, cut));
      const whole = cut > 0 ? take() : null;
      hold(chunk.subarray(cut));
      return whole;
    },
    rest: take,
  };
}

function concatenate(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
