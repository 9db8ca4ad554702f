import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { Observable, type MonoTypeOperatorFunction } from 'rxjs';
import { isLimitError } from '../limits/spending.js';
import { tripError } from '../limits/trip.js';
import type { Turn } from './turn-context.js';

/**
 * An operator that errors with `timeout` when the time of the turn is up, or the time for the model's thinking. With extensions the user is
 * asked for more time, and meanwhile the source goes on; the operator errors with the limit if the user gives no more. Before the operator
 * errors with a limit, the limit stops the child turns inside the turn.
 */
export function withinTime<T>({
  id,
  time,
  parts: { extensions, children },
}: Pick<Turn, 'id' | 'time' | 'parts'>): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      const end = (error: unknown) => {
        const errs = () => subscriber.error(error);
        if (isAgentSessionError(error) && isLimitError(error)) children.stopInside(id, error, errs);
        else errs();
      };
      children.bound(id, end);
      for (const limit of ['timeoutMs', 'maxThinkingMs'] as const) {
        const timed = time[limit];
        const expired = () => {
          const trip = { limit, spent: Math.round(timed.elapsed()), allowed: timed.allowed };
          if (extensions === null) end(tripError(trip));
          else extensions.tripped(trip);
        };
        subscriber.add(timed.onExpiry(expired));
      }
      if (extensions !== null) subscriber.add(extensions.started(end));
      if (!subscriber.closed) source.subscribe(subscriber);
    });
}
