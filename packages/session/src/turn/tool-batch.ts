import * as told from '../conversation/model-words.js';
import { defer, EMPTY, of, type Observable } from 'rxjs';
import type { StopReason, ToolCallView } from '../conversation/turn-record.js';
import type { TurnFact } from '../operations/operation.js';
import { stopReasonOf } from '../operations/stop-reason.js';
import { batchCall, rejectAll, type BatchCall } from './batch-call.js';
import { checkCalls } from './check-calls.js';
import { concat } from './concat.js';
import { consented } from './consented.js';
import { hooked } from './hooked.js';
import { permittedStep } from './permitted-step.js';
import { runCalls } from './run-calls.js';
import { batchOf, requestedCall } from '../state/round-calls.js';
import { isStopped, type Turn } from './turn-context.js';

/**
 * Passes one answer to the middleware, and decides and runs its tool calls. First all calls are decided: checked, guarded, confirmed. Then those that were not
 * rejected run. No call of an answer that was cut or refused runs, since the answer is incomplete.
 */
export function toolBatch(turn: Turn): Observable<TurnFact> {
  const requested = batchOf(turn.current()).map(requestedCall);
  const inspected = hooked(turn, ({ afterResponse }) => afterResponse(turn));
  if (requested.length === 0) return inspected;

  const calls = requested.map(batchCall);
  return concat<TurnFact>(
    of({ type: 'toolsRequested', calls: requested } as const),
    inspected,
    defer(() => {
      const stop = stopOf(turn);
      return stop === null ? decideAndRun(turn, calls) : notRun(calls, told.notRun(stop.message));
    }),
  );
}

/** Decides and runs a call inside an answer: a batch of one. */
export function innerBatch(turn: Turn, call: ToolCallView): Observable<TurnFact> {
  const requested = requestedCall(call);
  const calls = [batchCall(requested)];
  const fact = of<TurnFact>({ type: 'toolsRequested', calls: [requested], inner: true });
  if (isStopped(turn)) return concat(fact, notRun(calls, told.stoppedByTool));
  return concat(fact, decideAndRun(turn, calls));
}

/** Decides and runs the calls of a batch that were requested. */
export function decideAndRun(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  const { cancellation, settings, host } = turn;
  const checked = concat(
    checkCalls(turn, calls),
    hooked(turn, ({ beforeToolCalls }) => beforeToolCalls(turn, calls)),
  );
  // Without guards and questions their stages are left out, since each costs time for every call.
  const isAsked =
    settings.guards.length + host.modes().length > 0 || calls.some((call) => call.confirm !== null);
  return concat(
    permittedStep(turn),
    checked.pipe(cancellation.untilCancelled()),
    isAsked ? consented(turn, calls) : EMPTY,
    runCalls(turn, calls),
  );
}

/** Gives each call a result that says why it was not run: `text`. */
export function notRun(calls: readonly BatchCall[], text: string): Observable<TurnFact> {
  return defer(() => {
    const fact = rejectAll(calls, 'not-run', text);
    return fact === null ? EMPTY : of(fact);
  });
}

/** Returns the reason for which no call of the open round runs; null for an answer that requests its calls. */
export function stopOf({ current }: Pick<Turn, 'current'>): StopReason | null {
  const round = current().fold.turn?.round ?? null;
  if (round?.withheld) return { kind: 'withheld', message: told.withheld };
  return round?.finish ? stopReasonOf(round.finish.reason, round.finish.detail) : null;
}
