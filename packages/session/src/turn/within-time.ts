import { Observable, type MonoTypeOperatorFunction } from 'rxjs';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { defined } from '../json/defined.js';
import type { Limits } from '../limits/limits.js';
import type { TurnClock } from '../limits/turn-clock.js';

/** An operator that errors with `timeout` when the turn's time is up, or that of the model's thinking. */
export function withinTime<T>(
  clock: TurnClock,
  { timeoutMs, maxThinkingMs }: Limits,
): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable<T>((subscriber) => {
      const expire = (message: string, limit: number, of?: 'thinking') => () =>
        subscriber.error(
          new AgentSessionError('timeout', `${message} ${limit / 1000} seconds.`, {
            details: defined({ limit, of }),
          }),
        );
      subscriber.add(clock.onExpiry(expire('The turn took longer than', timeoutMs)));
      subscriber.add(
        clock.thinking.onExpiry(expire('The model thought for longer than', maxThinkingMs, 'thinking')),
      );
      source.subscribe(subscriber);
    });
}
