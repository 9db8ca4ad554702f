import { concatMap, defer, EMPTY, from, Observable } from 'rxjs';
import { messageOf } from '../errors/to-session-error.js';
import type { Guard, GuardedCall, Verdict } from '../guards/guard.js';
import { readVerdict } from '../guards/read-verdict.js';
import type { TurnFact } from '../operations/operation.js';
import { reject, type BatchCall, type ReadyCall } from './batch-call.js';
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

function eachGuarded(
  turn: Turn,
  calls: readonly BatchCall[],
  decided: (call: BatchCall, guard: Guard, verdict: Verdict) => void,
): Observable<TurnFact> {
  const { guards } = turn.settings;
  return from(calls).pipe(
    concatMap((call) =>
      from(guards).pipe(
        concatMap((guard) =>
          call.rejected || call.ready === null
            ? EMPTY
            : ask(guard, call.ready).pipe(
                concatMap((verdict) => {
                  decided(call, guard, verdict);
                  return factsOf(call, guard, verdict);
                }),
              ),
        ),
      ),
    ),
  );
}

function ask(guard: Guard, { id, tool, arguments: args }: ReadyCall): Observable<Verdict> {
  const { capabilities, irreversible } = tool;
  const call: GuardedCall = { id, tool: tool.id, arguments: args, capabilities, irreversible };
  return new Observable((subscriber) => {
    const controller = new AbortController();
    let answered = false;
    const decide = async () => readVerdict(await guard(call, { signal: controller.signal }));
    decide()
      // Whatever fails inside a guard denies.
      .catch((error: unknown): Verdict => ({
        deny: `The guard "${guard.name}" failed: ${messageOf(error)}.`,
      }))
      .then((verdict) => {
        answered = true;
        subscriber.next(verdict);
        subscriber.complete();
      })
      .catch((error: unknown) => subscriber.error(error));
    return () => {
      if (!answered) controller.abort();
    };
  });
}

function factsOf(call: BatchCall, guard: Guard, verdict: Verdict): readonly TurnFact[] {
  const { callId, tool } = call.requested;
  const decided = { type: 'guardDecided', callId, guard: guard.name } as const;
  if (verdict === 'allow') return [{ ...decided, verdict }];
  if ('confirm' in verdict) return [{ ...decided, verdict: 'confirm', reason: verdict.confirm }];
  return [
    { ...decided, verdict: 'deny', reason: verdict.deny },
    reject(call, 'denied', `${tool} was denied: ${verdict.deny}`),
  ];
}
