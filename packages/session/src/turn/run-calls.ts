import { concat, defer, EMPTY, merge, of, type Observable } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import { rejectAll, type BatchCall } from './batch-call.js';
import { executeCall } from './execute-call.js';
import type { Turn } from './turn-context.js';

/** Calls that only read run side by side, up to this many. */
const MAX_CONCURRENT = 8;

/**
 * Runs the calls that may run, in call order: consecutive ones that only read together, any other one alone. Between
 * two groups the turn can be cancelled, and a tool that asked to stop ends the batch.
 */
export function runCalls(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return defer(() => {
    const runnable = calls.filter((call) => !call.rejected && call.ready !== null);
    return concat(
      ...groupsOf(runnable).map((group) => defer(() => runGroup(turn, group))),
      // The conversation grows by whole rounds: a batch that was cancelled on its way adds nothing.
      defer(() => {
        turn.cancellation.checkpoint();
        return EMPTY;
      }),
    );
  });
}

function runGroup(turn: Turn, group: readonly BatchCall[]): Observable<TurnFact> {
  if (turn.ending !== null) {
    const fact = rejectAll(group, 'not-run', 'Not run: an earlier tool of this batch stopped the turn.');
    return fact === null ? EMPTY : of(fact);
  }
  if (!group.some((call) => call.ready?.runsDespiteCancel)) turn.cancellation.checkpoint();
  const runs = group.map((call) => defer(() => executeCall(turn, call)));
  return runs.length === 1 ? runs[0]! : merge(...runs, MAX_CONCURRENT);
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
