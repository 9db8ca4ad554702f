import type { Clock } from '@banister/provider';
import { Observable } from 'rxjs';

/** Completes after `ms` milliseconds; unsubscribing stops the timer. */
export function wait(clock: Clock, ms: number): Observable<never> {
  return new Observable((subscriber) => clock.schedule(() => subscriber.complete(), ms));
}
