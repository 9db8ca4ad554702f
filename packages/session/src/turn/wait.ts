import { Observable } from 'rxjs';
import type { Clock } from '../ports/clock.js';

/** Completes after `ms` milliseconds; unsubscribing stops the timer. */
export function wait(clock: Clock, ms: number): Observable<never> {
  return new Observable((subscriber) => clock.schedule(() => subscriber.complete(), ms));
}
