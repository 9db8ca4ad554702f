import type { ToolResult } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defer, EMPTY, mergeMap, of, type Observable, type Subscriber } from 'rxjs';
import type { Trip } from '../limits/trip.js';
import type { TurnFact } from '../operations/operation.js';
import type { ReadyCall } from './batch-call.js';
import { concat } from './concat.js';
import type { Turn } from './turn-context.js';
import type { AskRound, FeatureTurn, HookStages } from './turn-parts.js';

// The stages of a turn reach the features that a turn may lack, or whose code is loaded when it is needed, by these functions.

/**
 * Returns a stage of the middleware, which starts when its code is loaded. Completes at once if the turn has no middleware. A cancel ends
 * the wait.
 */
export function hooked(
  turn: FeatureTurn,
  stage: (stages: HookStages) => Observable<TurnFact>,
): Observable<TurnFact> {
  const { hooks } = turn.parts;
  if (hooks === null) return EMPTY;
  return defer(() => hooks(turn.ports.clock)).pipe(mergeMap(stage), turn.cancellation.untilCancelled());
}

/**
 * Asks the middleware about the result of a call, and calls `settle` with the result to record, unless the turn ends first. A cancel does
 * not end the wait, because the tool has run, and its result must not be recorded unchecked.
 */
export function judged(
  turn: FeatureTurn,
  call: ReadyCall,
  result: ToolResult,
  facts: Subscriber<TurnFact>,
  settle: (result: ToolResult) => void,
): Promise<void> | void {
  const { hooks } = turn.parts;
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
  { parts: { hooks }, ports }: Pick<FeatureTurn, 'parts' | 'ports'>,
  thrown: unknown,
): Promise<string> {
  return hooks === null ? messageOf(thrown) : (await hooks(ports.clock)).messageOf(thrown);
}

/**
 * Sends the request of a round with the messages of the conversation. If the conversation was compacted, or may be compacted, the stages of
 * compaction send the request. A cancel ends the wait for their code.
 */
export function compacted(turn: Turn, ask: AskRound): Observable<TurnFact> {
  const { compaction } = turn.parts;
  const { compactions } = turn.current();
  if (!compaction.isAutomatic && compactions.length === 0) return ask(turn.state().conversation.messages, 1);
  return defer(() => compaction.load(turn.ports.clock)).pipe(
    turn.cancellation.untilCancelled(),
    mergeMap(({ askRound }) => askRound(turn, ask)),
  );
}

/** Chooses the tools with which a turn begins: the tool that delegates tasks, then the stages of discovery. A cancel ends the wait. */
export function discovered(turn: Turn): Observable<never> {
  return concat(turn.parts.children.delegation(turn.id), () => staged(turn)) as Observable<never>;
}

/** Completes at once for a turn that gets all tools; otherwise after the code of staged discovery is loaded. */
function staged(turn: Turn): Observable<never> {
  const { discovery } = turn.parts;
  // A round that asks for a structured output calls no tool.
  if (discovery === null || turn.parts.structured !== null) return EMPTY;
  return defer(() => {
    const code = discovery.code.get(turn.ports.clock);
    return code instanceof Promise ? code : of(code);
  }).pipe(
    mergeMap(({ stagedTools }) => {
      const emit = turn.sink.emit.bind(turn.sink);
      turn.discovery = stagedTools({ ...turn, emit }, discovery);
      turn.tools = turn.discovery?.tools ?? turn.tools;
      return EMPTY;
    }),
    turn.cancellation.untilCancelled(),
  );
}

/**
 * Stands before a step of a turn. If the turn asks the user for more of a limit, completes when the limits permit the step; in any other
 * turn, completes at once.
 */
export function permittedStep(
  { parts: { extensions }, spending }: Pick<FeatureTurn, 'parts' | 'spending'>,
  trip: () => Trip | null = () => spending.usageTrip(),
): Observable<never> {
  return extensions?.permitted(trip) ?? EMPTY;
}
