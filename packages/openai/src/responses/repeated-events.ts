import { textIn, type Fields } from '@banister/wire';

/**
 * Detects repeated events by their `sequence_number`; gaps are allowed. The same number on two types of event shows that the
 * server does not count, and then no event is a repetition.
 */
export class RepeatedEvents {
  private readonly typeByNumber = new Map<number, string>();
  private counts = true;

  /** True for an event that arrived before. */
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
