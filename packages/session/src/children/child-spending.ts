import { Spending } from '../limits/spending.js';
import type { Trip } from '../limits/trip.js';
import type { Turn } from '../turn/turn-context.js';

/** The spending of a child turn: its own limits, and the limits of the turns above it, which count all their agents together. */
export class ChildSpending extends Spending {
  /** The trips of the agent's own limits. */
  private readonly own = new WeakSet<Trip>();

  constructor(
    private readonly above: Pick<Turn['spending'], 'toolTrip' | 'usageTrip'>,
    ...own: ConstructorParameters<typeof Spending>
  ) {
    super(...own);
  }

  /** Returns true if an own limit of the agent, or of an agent above it, has tripped. Such a trip stops the child turn. */
  isOwn(trip: Trip): boolean {
    const { above } = this;
    return this.own.has(trip) || (above instanceof ChildSpending && above.isOwn(trip));
  }

  override roundTrip(): Trip | null {
    return this.noted(super.roundTrip()) ?? this.above.usageTrip();
  }

  override toolTrip(): Trip | null {
    return this.noted(super.toolTrip()) ?? this.above.toolTrip();
  }

  override usageTrip(): Trip | null {
    return this.noted(super.usageTrip()) ?? this.above.usageTrip();
  }

  private noted(trip: Trip | null): Trip | null {
    if (trip !== null) this.own.add(trip);
    return trip;
  }
}
