import { defer, EMPTY, mergeMap, type Observable } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import type { HookedTurn, HookStages } from './turn-request.js';

/** Returns a stage of the middleware, which starts when its code is loaded; an empty one where the turn has no middleware. A cancel ends its wait. */
export function hooked(
  turn: HookedTurn,
  stage: (stages: HookStages) => Observable<TurnFact>,
): Observable<TurnFact> {
  const { hooks } = turn.settings;
  if (hooks === null) return EMPTY;
  return defer(() => hooks(turn.ports.clock)).pipe(mergeMap(stage), turn.cancellation.untilCancelled());
}
