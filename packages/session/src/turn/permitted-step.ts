import { EMPTY, type Observable } from 'rxjs';
import type { Trip } from '../limits/trip.js';
import type { CompactingTurn } from './turn-request.js';

/**
 * Stands before a step of a turn. If the turn asks the user for more of a limit, completes when the limits permit the step; in any other
 * turn, completes at once.
 */
export function permittedStep(
  { extensions, spending }: Pick<CompactingTurn, 'extensions' | 'spending'>,
  trip: () => Trip | null = () => spending.usageTrip(),
): Observable<never> {
  return extensions?.permitted(trip) ?? EMPTY;
}
