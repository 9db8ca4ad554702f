import { unexpectedFailure } from '@banister/provider/internal/errors/unexpected-failure';
import type { Subscription } from 'rxjs';
import type { Observable } from '../operations/observable.js';
import type { TurnFact } from '../operations/operation.js';
import type { FactSink, Turn } from './turn-context.js';

/**
 * Runs the stages of a turn until the returned subscription is unsubscribed.
 *
 * @param run returns the stages
 */
export function runStages(
  turn: Turn,
  sink: FactSink,
  run: (turn: Turn) => Observable<TurnFact>,
): Subscription {
  return run(turn).subscribe({
    next: (fact) => sink.emit(fact),
    // Reached only if the session has a fault, or a port throws. Even then the turn must end.
    error: (thrown: unknown) => {
      const error = unexpectedFailure(thrown).toJSON();
      const { usage, rounds } = turn.spending;
      const budget = turn.spending.budget();
      sink.emit({ type: 'failed', error, report: turn.transaction.soFar(), usage, rounds, budget });
    },
  });
}
