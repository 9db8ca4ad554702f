import { Observable, type MonoTypeOperatorFunction } from 'rxjs';
import type { Limits } from '../limits/limits.js';
import { tripped } from '../limits/spending.js';
import type { TurnClock } from '../limits/turn-clock.js';

/** An operator that errors with `timeout` when the turn's time is up. */
export function withinTime<T>(clock: TurnClock, { timeoutMs }: Limits): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      subscriber.add(
        clock.onExpiry(() => {
          subscriber.error(
            tripped('timeout', `The turn took longer than ${timeoutMs / 1000} seconds.`, timeoutMs),
          );
        }),
      );
      source.subscribe(subscriber);
    });
}
