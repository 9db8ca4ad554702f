import { Observable, type MonoTypeOperatorFunction } from 'rxjs';
import { tripError } from '../limits/trip.js';
import type { Turn } from './turn-context.js';

/**
 * An operator that errors with `timeout` when the turn's time is up, or that of the model's thinking. Where the user is asked for more, it errors
 * with the limit of which no more is given, and the source goes on meanwhile.
 */
export function withinTime<T>({
  clock,
  extensions,
}: Pick<Turn, 'clock' | 'extensions'>): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      const clocks = { timeoutMs: clock, maxThinkingMs: clock.thinking } as const;
      for (const limit of ['timeoutMs', 'maxThinkingMs'] as const) {
        const timed = clocks[limit];
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
