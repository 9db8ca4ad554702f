import { defer, from, mergeMap, of, type Observable } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import type { BatchCall } from './batch-call.js';
import type { Turn } from './turn-context.js';

/** Decides which calls of a batch may run, once the code of guards and questions is loaded. A cancel ends that wait. */
export function consented(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return defer(() => {
    const code = turn.consentCode.get(turn.ports.clock);
    return code instanceof Promise ? from(code).pipe(turn.cancellation.untilCancelled()) : of(code);
  }).pipe(
    mergeMap(({ consentOf }) => {
      turn.consent ??= consentOf(turn);
      turn.host.consent = turn.consent;
      return turn.consent.decided(calls);
    }),
  );
}
