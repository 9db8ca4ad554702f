import type { Observable } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import type { BatchCall } from './batch-call.js';
import { concat } from './concat.js';
import type { Turn } from './turn-context.js';

/** Decides which calls of a batch may run. */
export function consented(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return concat(() => {
    turn.consent ??= turn.consentOf(turn);
    turn.host.desk.sources.add(turn.consent);
    return turn.consent.decided(calls);
  });
}
