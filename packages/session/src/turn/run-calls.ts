import { concat, defer, EMPTY, merge, of, type Observable } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import { reject, type BatchCall } from './batch-call.js';
import { executeCall } from './execute-call.js';
import type { Turn } from './turn-context.js';

/** Calls that only read run side by side, up to this many. */
const MAX_CONCURRENT = 8;

/**
 * Runs the calls that may run, in call order: consecutive ones that only read together, any other one alone. A cancel
 * lets no further call start, and neither does a tool that asked to stop.
 */
export function runCalls(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return defer(() => {
    const runnable = calls.filter((call) => !call.rejected && call.ready !== null);
    return concat(
      ...groupsOf(runnable).map((group) => {
        const started = group.map((call) => defer(() => startCall(turn, call)));
        return started.length === 1 ? started[0]! : merge(...started, MAX_CONCURRENT);
      }),
      // The conversation grows by whole rounds: a batch that was cancelled on its way adds nothing.
      defer(() => {
        turn.cancellation.checkpoint();
        return EMPTY;
      }),
    );
  });
}

/** Every call is asked for anew whether it may still start: much can happen while the ones before it run. */
function startCall(turn: Turn, call: BatchCall): Observable<TurnFact> {
  if (turn.ending !== null) {
    return of(reject(call, 'not-run', 'Not run: an earlier tool of this batch stopped the turn.'));
  }
  // The checkpoint behind the last call ends the turn.
  if (turn.cancellation.level !== null && !call.ready?.runsDespiteCancel) return EMPTY;
  return executeCall(turn, call);
}

/** Consecutive calls that only read, together; every other call by itself. */
function groupsOf(calls: readonly BatchCall[]): readonly (readonly BatchCall[])[] {
  const groups: BatchCall[][] = [];
  let reading = false;
  for (const call of calls) {
    const readOnly = call.ready?.tool.readOnly ?? false;
    if (readOnly && reading) groups.at(-1)!.push(call);
    else groups.push([call]);
    reading = readOnly;
  }
  return groups;
}
