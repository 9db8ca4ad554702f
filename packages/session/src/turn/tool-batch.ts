import { concat, defer, EMPTY, of, type Observable } from 'rxjs';
import type { StopReason } from '../conversation/turn-record.js';
import type { TurnFact } from '../operations/operation.js';
import type { RequestedCall } from '../operations/tool-operations.js';
import { batchCall, rejectAll, type BatchCall } from './batch-call.js';
import { checkCalls } from './check-calls.js';
import { confirmCalls } from './confirm-calls.js';
import { guardCalls, guardEditedCalls } from './guard-calls.js';
import { runCalls } from './run-calls.js';
import type { Round, Turn } from './turn-context.js';

/**
 * Decides and runs the tool calls of one answer. First all calls are decided: checked, guarded, confirmed. Then those that were not
 * rejected run. No call of an answer that was cut or refused runs, since the answer is incomplete.
 */
export function toolBatch(turn: Turn, round: Round): Observable<TurnFact> {
  const stop = stopOf(round.finish);
  if (stop !== null) turn.ending = { kind: 'stopped', stop };
  if (round.calls.length === 0) return EMPTY;

  const calls = round.calls.map(batchCall);
  const requested = of({ type: 'toolsRequested', calls: round.calls } as const);
  if (stop !== null) return concat(requested, notRun(calls, `Not run: ${stop.message}`));
  return concat(requested, decideAndRun(turn, calls));
}

/** Decides and runs a call inside an answer: a batch of one. */
export function innerBatch(turn: Turn, call: RequestedCall): Observable<TurnFact> {
  const calls = [batchCall(call)];
  const requested = of({ type: 'toolsRequested', calls: [call], inner: true } as const);
  if (turn.ending !== null)
    return concat(requested, notRun(calls, 'Not run: an earlier tool stopped the turn.'));
  return concat(requested, decideAndRun(turn, calls));
}

function decideAndRun(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  const { cancellation, settings } = turn;
  const checked = checkCalls(turn, calls);
  // Only guards require confirmations. Without guards the three stages are left out, since each costs time for every call.
  if (settings.guards.length === 0)
    return concat(checked.pipe(cancellation.untilCancelled()), runCalls(turn, calls));
  return concat(
    concat(checked, guardCalls(turn, calls)).pipe(cancellation.untilCancelled()),
    confirmCalls(turn, calls),
    guardEditedCalls(turn, calls),
    runCalls(turn, calls),
  );
}

function notRun(calls: readonly BatchCall[], text: string): Observable<TurnFact> {
  return defer(() => {
    const fact = rejectAll(calls, 'not-run', text);
    return fact === null ? EMPTY : of(fact);
  });
}

/** Returns the reason for which an answer stops the turn; null for a whole answer. */
function stopOf(finish: Round['finish']): StopReason | null {
  const detail = finish?.detail ? ` ${finish.detail}` : '';
  switch (finish?.reason) {
    case 'length':
      return { kind: 'length', message: `The answer reached the token limit and was cut.${detail}` };
    case 'refusal':
      return { kind: 'refusal', message: `The model refused to answer.${detail}` };
    case 'content-filter':
      return {
        kind: 'content-filter',
        message: `A content filter of the provider stopped the answer.${detail}`,
      };
    case 'approval':
      return {
        kind: 'approval',
        message: `The server asks for an approval, which cannot be given from here.${detail}`,
      };
    default:
      return null;
  }
}
