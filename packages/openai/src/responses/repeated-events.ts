import { textIn, type Fields } from '@banister/wire';

/**
 * Detects repeated events by their `sequence_number`. Gaps are allowed. If two types of event have the same
 * number, the server does not count, and no event is taken for a repetition.
 */
export class RepeatedEvents {
  private readonly typeByNumber = new Map<number, string>();
  private counts = true;

  /** Returns true for an event that arrived before. */
  has(event: Fields): boolean {
    const number = event['sequence_number'];
    if (!this.counts || typeof number !== 'number') return false;
    const type = textIn(event['type']);
    const known = this.typeByNumber.get(number);
    if (known === undefined) {
      this.typeByNumber.set(number, type);
      return false;
    }
    this.counts = known === type;
    if (!this.counts) this.typeByNumber.clear();
    return this.counts;
  }
}
