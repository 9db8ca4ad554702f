import { defined } from '@banister/provider/internal/json/defined';
import * as told from '../conversation/model-words.js';
import { defer, type Observable, type Subscription } from 'rxjs';
import { hasBegun } from '../conversation/has-begun.js';
import { allCallsOf } from '../conversation/turn-record.js';
import type { Guard, GuardedCall, Verdict } from '../guards/guard.js';
import { readVerdict } from '../guards/read-verdict.js';
import type { TurnFact } from '../operations/operation.js';
import { guardedCallOf, reject, toolCallOf, type BatchCall, type ReadyCall } from '../turn/batch-call.js';
import { refusedEditLine } from '../turn/edited-line.js';
import { toldOf } from '../turn/doors.js';
import type { Capability } from '../tools/tool.js';
import { fromAsync } from '../operations/from-async.js';
import type { Turn } from '../turn/turn-context.js';
import type { TurnHost } from '../turn/turn-request.js';

/** Returns the guards in force for a call. They are read again for each call, because the user may choose another mode meanwhile. */
export type GuardList = (call: BatchCall) => readonly Guard[];

/** Calls the guards for each call, in order. The first `deny` rejects the call. Otherwise the first `confirm` requires a confirmation. */
export function guardCalls(turn: Turn, guards: GuardList, calls: readonly BatchCall[]): Observable<TurnFact> {
  return eachGuarded(turn, guards, calls, (call, guard, verdict) => {
    if (verdict === 'allow' || 'deny' in verdict || call.isDecided) return;
    const { confirm: reason, because, cost } = verdict;
    if (call.confirm === null) call.confirm = defined({ guard: guard.name, reason, because, cost });
    // The question about a provider's tool names no cost, so the guard's cost is added.
    else if (call.requested.hosted) call.confirm = defined({ cost, ...call.confirm });
  });
}

/** Calls the guards again for calls with edited arguments. Only a `deny` counts, because the user has already confirmed the calls. */
export function guardEditedCalls(
  turn: Turn,
  guards: GuardList,
  calls: readonly BatchCall[],
): Observable<TurnFact> {
  return defer(() => {
    const edited = calls.filter((call) => call.ready?.editedFrom != null);
    const guarded = guardAgain(turn, guards, edited);
    // After a cancel only an approved call is left, and the decision about it is completed.
    return turn.cancellation.level === null ? guarded.pipe(turn.cancellation.untilCancelled()) : guarded;
  });
}

/** Calls guards again for calls that the guards or the user have allowed. Only a `deny` counts. */
export function guardAgain(turn: Turn, guards: GuardList, calls: readonly BatchCall[]): Observable<TurnFact> {
  return eachGuarded(turn, guards, calls, () => {});
}

/** Calls the guards one at a time: all guards for the first call, then all guards for the second. Rejected calls are skipped. */
function eachGuarded(
  turn: Turn,
  guards: GuardList,
  calls: readonly BatchCall[],
  decided: (call: BatchCall, guard: Guard, verdict: Verdict) => void,
): Observable<TurnFact> {
  return fromAsync<TurnFact>(async (facts) => {
    for (const call of calls) {
      for (const guard of guards(call)) {
        if (call.rejected || call.ready === null || call.recovered) break;
        const verdict = await verdictOf(turn, guard, call.ready, facts);
        if (facts.closed) return;
        decided(call, guard, verdict);
        for (const fact of factsOf(call, guard, verdict)) facts.next(fact);
      }
    }
  });
}

/** Returns the guard's verdict. If the guard throws, the verdict is `deny`. Its signal fires when the turn ends first. */
export async function verdictOf(
  turn: Turn,
  guard: Guard,
  ready: ReadyCall,
  running: Pick<Subscription, 'add' | 'remove'>,
): Promise<Verdict> {
  const call: GuardedCall = { ...toolCallOf(ready), ...guardedCallOf(ready, turn.agent) };
  const controller = new AbortController();
  const abort = () => controller.abort();
  running.add(abort);
  try {
    return readVerdict(
      await guard(call, {
        signal: controller.signal,
        get ranBefore() {
          return ranIn(turn.host);
        },
      }),
    );
  } catch (error) {
    // The guard may have thrown because its signal fired.
    if (!controller.signal.aborted) turn.ports.reportError(error);
    return { deny: told.guardFailed(guard.name, await toldOf(turn, error)) };
  } finally {
    running.remove(abort);
  }
}

/** Returns the capabilities of the tools that have run in the turn that the user sent, and in its child turns. */
function ranIn({ liveTurn, tools }: TurnHost): readonly Capability[] {
  return allCallsOf(liveTurn())
    .filter(hasBegun)
    .flatMap(({ tool }) => tools().kept.get(tool)?.capabilities ?? []);
}

function factsOf(call: BatchCall, guard: Guard, verdict: Verdict): readonly TurnFact[] {
  const { callId, tool } = call.requested;
  const decided = { type: 'guardDecided', callId, guard: guard.name } as const;
  if (verdict === 'allow') return [{ ...decided, verdict }];
  if ('confirm' in verdict) return [{ ...decided, verdict: 'confirm', reason: verdict.confirm }];
  const { editedFrom, replaced, arguments: args } = call.ready!;
  const lines = [
    ...(replaced === null ? [] : [replaced.line]),
    ...(editedFrom === null ? [] : [refusedEditLine(editedFrom, args)]),
    told.denied(tool, verdict.deny),
  ];
  return [
    { ...decided, verdict: 'deny', reason: verdict.deny },
    reject(call, 'denied', lines.join(' '), verdict.forUser),
  ];
}
