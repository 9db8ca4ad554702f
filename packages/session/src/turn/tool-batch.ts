import * as told from '../conversation/model-words.js';
import type { StopReason, ToolCallView } from '../conversation/turn-record.js';
import type { TurnFact } from '../operations/operation.js';
import { stopReasonOf } from '../operations/stop-reason.js';
import { batchCall, rejectAll, type BatchCall } from './batch-call.js';
import { checkCalls } from './check-calls.js';
import { concat, type Stage } from './concat.js';
import { hooked, permittedStep } from './doors.js';
import { runCalls } from './run-calls.js';
import { batchOf, requestedCall } from '../state/round-calls.js';
import { isStopped, type Turn } from './turn-context.js';

/**
 * Passes one answer to the middleware, then decides about its tool calls and runs them. First all calls are decided: checked, guarded,
 * confirmed. Then the calls that were not rejected run. If the answer was cut or refused, none of its calls runs, because the answer is
 * incomplete.
 */
export function toolBatch(turn: Turn): Stage {
  const requested = batchOf(turn.current()).map(requestedCall);
  const inspected = hooked(turn, ({ afterResponse }) => afterResponse(turn));
  if (requested.length === 0) return inspected;

  const calls = requested.map(batchCall);
  return [
    { type: 'toolsRequested', calls: requested },
    inspected,
    () => {
      const stop = stopOf(turn);
      return stop === null ? decideAndRun(turn, calls) : notRun(calls, told.notRun(stop.message));
    },
  ];
}

/** Decides about a call inside an answer, as a batch of one call, and runs it. */
export function innerBatch(turn: Turn, call: ToolCallView): Stage {
  const requested = requestedCall(call);
  const calls = [batchCall(requested)];
  const fact: TurnFact = { type: 'toolsRequested', calls: [requested], inner: true };
  if (isStopped(turn)) return [fact, notRun(calls, told.stoppedByTool)];
  return [fact, decideAndRun(turn, calls)];
}

/** Decides about the requested calls of a batch, and runs them. */
export function decideAndRun(turn: Turn, calls: readonly BatchCall[]): Stage {
  const { cancellation, settings, host, parts } = turn;
  const checked = concat(
    checkCalls(turn, calls),
    hooked(turn, ({ beforeToolCalls }) => beforeToolCalls(turn, calls)),
  );
  // If there are no guards and no questions, their stages are left out, because each stage takes time for every call.
  const isAsked =
    settings.guards.length + settings.agentGuards.length + host.modes().length > 0 ||
    calls.some((call) => call.confirm !== null);
  return [
    permittedStep(turn),
    checked.pipe(cancellation.untilCancelled()),
    isAsked ? parts.consent.decided(calls) : [],
    runCalls(turn, calls),
  ];
}

/** Gives each call the result `text`, which says why the call was not run. */
export function notRun(calls: readonly BatchCall[], text: string): Stage {
  return () => rejectAll(calls, 'not-run', text) ?? [];
}

/** Returns why no call of the open round may run; null if its calls may run. */
export function stopOf({ current }: Pick<Turn, 'current'>): StopReason | null {
  const round = current().fold.turn?.round ?? null;
  if (round?.withheld) return { kind: 'withheld', message: told.withheld };
  return round?.finish ? stopReasonOf(round.finish.reason, round.finish.detail) : null;
}
