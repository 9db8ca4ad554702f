import { Observable, type Subscriber } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';

/**
 * The facts of work that goes from one call to the next, as an async function. It is a loop for the sake of the stack:
 * an answer may hold thousands of calls, and observables that are joined one behind the other nest with each completion.
 *
 * @param run emits facts; after each wait it returns when `facts.closed`, since the turn has then ended without it
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
