import { defer, EMPTY, mergeMap, type Observable } from 'rxjs';
import { messageOf } from '../errors/to-session-error.js';
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

/** Resolves with the part of a thrown value that the model may read: a text is cut when the middleware has redacted it. */
export async function toldOf(
  { settings: { hooks }, ports }: Pick<HookedTurn, 'settings' | 'ports'>,
  thrown: unknown,
): Promise<string> {
  return hooks === null ? messageOf(thrown) : (await hooks(ports.clock)).messageOf(thrown);
}
