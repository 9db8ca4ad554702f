import type { Clock } from '@banister/session';
import type { TransportItem } from './transport.js';

/** The facts about the host that its items carry. */
export class Host {
  /** undefined until an item names it. */
  name: string | undefined;
  private offset = Infinity;

  constructor(private readonly clock: Clock) {}

  /** The local time minus that of the host, in milliseconds. */
  get skew(): number {
    return Number.isFinite(this.offset) ? this.offset : 0;
  }

  /** Measures the clock afresh, since a connection begins: one of the two clocks may have been set. */
  measureAgain(): void {
    this.offset = Infinity;
  }

  /** Returns whether the item is of another host than the one before it. */
  note({ now, host }: TransportItem): boolean {
    const isOther = this.name !== undefined && host !== undefined && host !== this.name;
    this.name = host ?? this.name;
    // The time on the way makes the difference larger: the smallest one is the nearest to the truth.
    if (typeof now === 'number') this.offset = Math.min(this.offset, this.clock.now() - now);
    return isOther;
  }
}
