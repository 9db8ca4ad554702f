import { EMPTY, type Observable } from 'rxjs';
import type { Trip } from '../limits/trip.js';
import type { CompactingTurn } from './turn-request.js';

/** Comes before a step of a turn that asks the user for more of a limit: completes when the limits permit the step, at once in any other turn. */
export function permittedStep(
  { extensions, spending }: Pick<CompactingTurn, 'extensions' | 'spending'>,
  trip: () => Trip | null = () => spending.usageTrip(),
): Observable<never> {
  return extensions?.permitted(trip) ?? EMPTY;
}
