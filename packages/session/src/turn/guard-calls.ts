import { defer, type Observable, type Subscriber } from 'rxjs';
import { messageOf } from '../errors/to-session-error.js';
import type { Guard, GuardedCall, Verdict } from '../guards/guard.js';
import { readVerdict } from '../guards/read-verdict.js';
import type { TurnFact } from '../operations/operation.js';
import { reject, type BatchCall, type ReadyCall } from './batch-call.js';
import { refusedEditLine } from './edited-line.js';
import { stepByStep } from './step-by-step.js';
import type { Turn } from './turn-context.js';

/** Asks the guards about each call, in order. Any deny wins; else the first confirm owns the prompt. */
export function guardCalls(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return eachGuarded(turn, calls, (call, guard, verdict) => {
    if (verdict === 'allow' || 'deny' in verdict) return;
    call.confirm ??= {
      guard: guard.name,
      reason: verdict.confirm,
      ...(verdict.cost ? { cost: verdict.cost } : {}),
    };
  });
}

/** Edited arguments are new arguments: the guards look once more. Only a deny counts, the user was asked already. */
export function guardEditedCalls(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return defer(() => {
    const edited = calls.filter((call) => call.ready?.editedFrom != null);
    const guarded = eachGuarded(turn, edited, () => {});
    // A call that was approved in spite of a cancel is decided to its end.
    return turn.cancellation.level === null ? guarded.pipe(turn.cancellation.untilCancelled()) : guarded;
  });
}

/** One question at a time: the guards about the first call, then about the second. A rejected call is not asked about. */
function eachGuarded(
  turn: Turn,
  calls: readonly BatchCall[],
  decided: (call: BatchCall, guard: Guard, verdict: Verdict) => void,
): Observable<TurnFact> {
  return stepByStep(async (facts) => {
    for (const call of calls) {
      for (const guard of turn.settings.guards) {
        if (call.rejected || call.ready === null) break;
        const verdict = await ask(guard, call.ready, facts);
        if (facts.closed) return;
        decided(call, guard, verdict);
        for (const fact of factsOf(call, guard, verdict)) facts.next(fact);
      }
    }
  });
}

/** The guard's verdict. Its signal fires when the turn ends before it has decided. */
async function ask(
  guard: Guard,
  { id, tool, arguments: args }: ReadyCall,
  facts: Subscriber<TurnFact>,
): Promise<Verdict> {
  const { capabilities, irreversible } = tool;
  const call: GuardedCall = { id, tool: tool.id, arguments: args, capabilities, irreversible };
  const controller = new AbortController();
  const abort = () => controller.abort();
  facts.add(abort);
  try {
    return readVerdict(await guard(call, { signal: controller.signal }));
  } catch (error) {
    // A guard that fails denies.
    return { deny: `The guard "${guard.name}" failed: ${messageOf(error)}.` };
  } finally {
    facts.remove(abort);
  }
}

function factsOf(call: BatchCall, guard: Guard, verdict: Verdict): readonly TurnFact[] {
  const { callId, tool } = call.requested;
  const decided = { type: 'guardDecided', callId, guard: guard.name } as const;
  if (verdict === 'allow') return [{ ...decided, verdict }];
  if ('confirm' in verdict) return [{ ...decided, verdict: 'confirm', reason: verdict.confirm }];
  const { editedFrom, arguments: args } = call.ready!;
  const edit = editedFrom === null ? '' : `${refusedEditLine(editedFrom, args)} `;
  return [
    { ...decided, verdict: 'deny', reason: verdict.deny },
    reject(call, 'denied', `${edit}${tool} was denied: ${verdict.deny}`),
  ];
}
