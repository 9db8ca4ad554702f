import { Spending } from '../limits/spending.js';
import { tripError, type Trip } from '../limits/trip.js';
import type { Turn } from '../turn/turn-context.js';

/** The spending of a child turn: its own limits, and the limits of the turns above it, which count all their agents together. */
export class ChildSpending extends Spending {
  /** The trips of the agent's own limits. */
  private readonly own = new WeakSet<Trip>();

  constructor(
    private readonly above: Pick<Turn['spending'], 'toolTrip' | 'usageTrip' | 'sessionTrip' | 'checkUsage'>,
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
    // The method of any turn reads the usage, with the turns above, by `usageTrip`.
    const trip = super.roundTrip();
    return trip?.limit === 'maxRounds' ? this.noted(trip) : trip;
  }

  override toolTrip(): Trip | null {
    return this.noted(super.toolTrip()) ?? this.above.toolTrip();
  }

  override usageTrip(): Trip | null {
    return this.noted(super.usageTrip()) ?? this.above.usageTrip();
  }

  /** The user may be asked for more of a limit of the turns above. */
  override checkUsage(): void {
    const trip = this.usageTrip();
    if (trip !== null && this.isOwn(trip)) throw tripError(trip);
    this.above.checkUsage();
  }

  /** The limits of the session, with the extensions of the user, belong to the turn that the user sent. */
  override sessionTrip(...given: Parameters<Spending['sessionTrip']>): Trip | null {
    return this.above.sessionTrip(...given);
  }

  private noted(trip: Trip | null): Trip | null {
    if (trip !== null && !trip.limit.startsWith('session.')) this.own.add(trip);
    return trip;
  }
}
