import type { ToolResult } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defer, EMPTY, mergeMap, type Observable, type Subscriber } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import type { ReadyCall } from './batch-call.js';
import type { HookedTurn, HookStages } from './turn-request.js';

/**
 * Returns a stage of the middleware, which starts when its code is loaded. Completes at once if the turn has no middleware. A cancel ends
 * the wait.
 */
export function hooked(
  turn: HookedTurn,
  stage: (stages: HookStages) => Observable<TurnFact>,
): Observable<TurnFact> {
  const { hooks } = turn.settings;
  if (hooks === null) return EMPTY;
  return defer(() => hooks(turn.ports.clock)).pipe(mergeMap(stage), turn.cancellation.untilCancelled());
}

/**
 * Asks the middleware about the result of a call, and calls `settle` with the result to record, unless the turn ends first. A cancel does
 * not end the wait, because the tool has run, and its result must not be recorded unchecked.
 */
export function judged(
  turn: HookedTurn,
  call: ReadyCall,
  result: ToolResult,
  facts: Subscriber<TurnFact>,
  settle: (result: ToolResult) => void,
): Promise<void> | void {
  const { hooks } = turn.settings;
  if (hooks === null) return settle(result);
  return new Promise((resolve, reject) => {
    const stage = defer(() => hooks(turn.ports.clock)).pipe(
      mergeMap(({ afterToolCall }) => afterToolCall(turn, call, result, settle)),
    );
    facts.add(resolve);
    facts.add(
      stage.subscribe({ next: (fact) => facts.next(fact), error: reject, complete: () => resolve() }),
    );
  });
}

/** Resolves with the part of a thrown value that the model may read. The middleware redacts a string before it is shortened. */
export async function toldOf(
  { settings: { hooks }, ports }: Pick<HookedTurn, 'settings' | 'ports'>,
  thrown: unknown,
): Promise<string> {
  return hooks === null ? messageOf(thrown) : (await hooks(ports.clock)).messageOf(thrown);
}
