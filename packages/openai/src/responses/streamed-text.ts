/** Text that arrives in pieces, and once more as a whole. */
export class StreamedText {
  private text = '';

  get isEmpty(): boolean {
    return this.text === '';
  }

  /** What came so far. */
  toString(): string {
    return this.text;
  }

  add(delta: string): string {
    this.text += delta;
    return delta;
  }

  /** What of the whole text has not come in pieces; nothing when the two contradict each other. */
  complete(whole: string): string {
    return whole.startsWith(this.text) ? this.add(whole.slice(this.text.length)) : '';
  }
}
