import { Observable, type MonoTypeOperatorFunction } from 'rxjs';
import { tripError } from '../limits/trip.js';
import type { Turn } from './turn-context.js';

/**
 * An operator that errors with `timeout` when the time of the turn is up, or the time for the model's thinking. With extensions the user is
 * asked for more time, and meanwhile the source goes on; the operator errors with the limit if the user gives no more.
 */
export function withinTime<T>({
  time,
  parts: { extensions },
}: Pick<Turn, 'time' | 'parts'>): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      for (const limit of ['timeoutMs', 'maxThinkingMs'] as const) {
        const timed = time[limit];
        const expired = () => {
          const trip = { limit, spent: Math.round(timed.elapsed()), allowed: timed.allowed };
          if (extensions === null) subscriber.error(tripError(trip));
          else extensions.tripped(trip);
        };
        subscriber.add(timed.onExpiry(expired));
      }
      if (extensions !== null) subscriber.add(extensions.started((error) => subscriber.error(error)));
      if (!subscriber.closed) source.subscribe(subscriber);
    });
}
