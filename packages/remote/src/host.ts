import type { Clock } from '@banister/provider';
import type { TransportItem } from './transport.js';

/** Facts about the host, from the items that it sends. */
export class Host {
  /** undefined until an item states it. */
  name: string | undefined;
  private offset = Infinity;

  constructor(private readonly clock: Clock) {}

  /** The local time minus the host's time, in milliseconds. */
  get skew(): number {
    return Number.isFinite(this.offset) ? this.offset : 0;
  }

  /** Measures the difference again, because a clock may have been set before the new connection. */
  measureAgain(): void {
    this.offset = Infinity;
  }

  /** Returns whether the item comes from a different host than the item before it. */
  note({ now, host }: TransportItem): boolean {
    const isOther = this.name !== undefined && host !== undefined && host !== this.name;
    this.name = host ?? this.name;
    // The time in transit increases the difference, so the smallest difference is the most accurate.
    if (typeof now === 'number') this.offset = Math.min(this.offset, this.clock.now() - now);
    return isOther;
  }
}
