const LF = 10;
const CR = 13;

/**
 * Holds back the bytes of an event until the event is complete. With every chunk, an official client searches
 * all unread bytes again, so an event in many pieces costs the square of its length. Here every byte is read
 * once.
 */
export class EventGate {
  /** Bytes of the longest event so far. An incomplete event counts with the bytes that arrived. */
  longest = 0;

  private pieces: Uint8Array[] = [];
  private held = 0;
  /** The number of line ends in a row; the second ends an event. */
  private lineEnds = 0;
  private lastByte = 0;
  /** Where in the chunk the current event began; negative when it began in an earlier chunk. */
  private start = 0;
  /** Where in the chunk the last whole event ended. */
  private cut = 0;

  /** Returns the bytes of the events that this chunk completes; null if it completes none. */
  push(chunk: Uint8Array): Uint8Array | null {
    this.cut = 0;
    this.start = -this.held;
    if (this.lastByte !== CR && !chunk.includes(CR)) this.searchLineFeeds(chunk);
    else this.readLineEnds(chunk);
    this.longest = Math.max(this.longest, chunk.length - this.start);
    this.hold(chunk.subarray(0, this.cut));
    const whole = this.cut > 0 ? this.rest() : null;
    this.hold(chunk.subarray(this.cut));
    return whole;
  }

  /** Removes and returns the held bytes: the beginning of an event that was never completed. */
  rest(): Uint8Array {
    const whole = concatenate(this.pieces, this.held);
    this.pieces = [];
    this.held = 0;
    return whole;
  }

  private hold(bytes: Uint8Array): void {
    if (bytes.length > 0) this.pieces.push(bytes);
    this.held += bytes.length;
  }

  private endEvent(at: number): void {
    this.longest = Math.max(this.longest, at - this.start);
    this.cut = this.start = at;
  }

  /**
   * Searches chunks whose lines end with LF alone, which is the usual case. A native search is faster than a
   * loop over the bytes.
   */
  private searchLineFeeds(chunk: Uint8Array): void {
    let lineStart = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, lineStart)) {
      this.lineEnds = at === lineStart ? this.lineEnds + 1 : 1;
      lineStart = at + 1;
      if (this.lineEnds >= 2) this.endEvent(lineStart);
    }
    if (lineStart < chunk.length) this.lineEnds = 0;
    this.lastByte = chunk[chunk.length - 1] ?? this.lastByte;
  }

  private readLineEnds(chunk: Uint8Array): void {
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte === LF) {
        if (this.lastByte !== CR) this.lineEnds++; // CR LF is one line end
        if (this.lineEnds >= 2) this.endEvent(i + 1);
      } else if (byte === CR) {
        this.lineEnds++;
        // After an LF, this CR may be the first half of a CR LF: the event then ends with that LF.
        if (this.lineEnds >= 2 && this.lastByte === CR) this.endEvent(i + 1);
      } else {
        this.lineEnds = 0;
      }
      this.lastByte = byte;
    }
  }
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
