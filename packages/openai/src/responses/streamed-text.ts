/** Text that arrives in pieces, and is then repeated as a whole. */
export class StreamedText {
  private text = '';

  get isEmpty(): boolean {
    return this.text === '';
  }

  /** The text so far. */
  toString(): string {
    return this.text;
  }

  add(delta: string): string {
    this.text += delta;
    return delta;
  }

  /** Returns the rest of the whole text that did not arrive in pieces; empty if the two texts differ. */
  complete(whole: string): string {
    return whole.startsWith(this.text) ? this.add(whole.slice(this.text.length)) : '';
  }
}
