import { unexpectedFailure } from '../errors/unexpected-failure.js';
import type { TurnFact } from '../operations/operation.js';
import type { Observable } from '../operations/observable.js';
import type { FactSink, Turn } from '../turn/turn-context.js';

/**
 * Runs the stages of a turn, and returns a function that stops them at once.
 *
 * @param run returns the stages
 */
export function runPipeline(
  turn: Turn,
  sink: FactSink,
  run: (turn: Turn) => Observable<TurnFact>,
): () => void {
  const running = run(turn).subscribe({
    next: (fact) => sink.emit(fact),
    // Reached only if the session has a fault, or a port throws. Even then the turn must end.
    error: (thrown: unknown) => {
      const error = unexpectedFailure(thrown).toJSON();
      const { usage, rounds } = turn.spending;
      const budget = turn.spending.budget();
      sink.emit({ type: 'failed', error, report: turn.transaction.soFar(), usage, rounds, budget });
    },
  });
  return () => {
    running.unsubscribe();
    turn.transaction.discard();
  };
}
