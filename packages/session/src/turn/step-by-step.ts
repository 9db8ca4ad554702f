import { Observable, type Subscriber } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';

/**
 * The facts of an async function, for work that handles one call after the other. A loop in such a function uses no stack: an answer
 * may hold thousands of calls, and observables that are concatenated nest with each completion.
 *
 * @param run emits facts; after each `await` it must return when `facts.closed`, since the turn has ended then
 */
export function stepByStep(run: (facts: Subscriber<TurnFact>) => Promise<void>): Observable<TurnFact> {
  return new Observable((facts) => {
    const steps = async () => {
      await run(facts);
      facts.complete();
    };
    steps().catch((error: unknown) => facts.error(error));
  });
}
