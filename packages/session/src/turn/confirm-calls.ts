import { concat, concatMap, defer, EMPTY, finalize, from, mergeMap, Observable, of } from 'rxjs';
import { messageOf } from '../errors/to-session-error.js';
import { readDecision, resolvedFact, type ConfirmationAsk, type Resolution } from '../guards/confirmation.js';
import type { TurnFact } from '../operations/operation.js';
import type { RejectionReason } from '../conversation/turn-record.js';
import { checkArguments, invalidArgumentsText, issueTexts } from '../tools/check-arguments.js';
import { reject, rejectAll, type BatchCall, type ReadyCall } from './batch-call.js';
import type { Turn } from './turn-context.js';
import type { ConfirmHandler } from './turn-request.js';

/** A call that waits on the user, with the request that stands for it. */
interface Asked {
  readonly call: BatchCall;
  readonly ready: ReadyCall;
  readonly request: ConfirmationAsk['request'];
  resolution: Resolution | null;
}

/** Asks the user about every call that a guard wants confirmed. The turn's clock stands still meanwhile. */
export function confirmCalls(turn: Turn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return defer(() => {
    const asked = calls.flatMap((call) => ask(turn, call));
    if (asked.length === 0) return EMPTY;
    const { confirm } = turn.settings;
    turn.clock.pause();
    return (confirm ? byHandler(turn, calls, asked, confirm) : bySignal(turn, asked)).pipe(
      finalize(() => turn.clock.resume()),
    );
  });
}

function ask(turn: Turn, call: BatchCall): readonly Asked[] {
  const { ready, confirm, rejected } = call;
  if (rejected || ready === null || confirm === null) return [];
  const request = {
    id: turn.ports.ids.next('confirmation'),
    call: { id: ready.id, tool: ready.tool.id, arguments: ready.arguments },
    ...confirm,
    irreversible: ready.tool.irreversible,
  };
  return [{ call, ready, request, resolution: null }];
}

/** All requests are open at once, for a view to answer. A cancel ends the wait; `settle` closes what is open. */
function bySignal(turn: Turn, asked: readonly Asked[]): Observable<TurnFact> {
  const asks = asked.map((one): ConfirmationAsk => ({
    request: one.request,
    validate: (edited) => issueTexts(one.ready.validate(edited)),
    resolved: (resolution) => {
      one.resolution = resolution;
    },
  }));
  return concat(turn.desk.ask(asks), from(asked).pipe(concatMap((one) => decide(one, one.resolution!)))).pipe(
    turn.cancellation.untilCancelled(),
  );
}

/**
 * The app's own handler, one request at a time, in call order. A plain cancel waits for it: whoever is in the middle of
 * a decision gets to finish it. What it approves then still runs, alone.
 */
function byHandler(
  turn: Turn,
  calls: readonly BatchCall[],
  asked: readonly Asked[],
  confirm: ConfirmHandler,
): Observable<TurnFact> {
  return from(asked).pipe(
    concatMap((one) =>
      defer(() => {
        // Rejected by a cancel that met an earlier request: the call that this one had approved goes on alone.
        if (one.call.rejected) return EMPTY;
        turn.cancellation.checkpoint();
        return concat(
          handled(turn, one, confirm),
          defer(() => decide(one, one.resolution!)),
          defer(() => afterCancel(turn, calls, one.call)),
        );
      }),
    ),
  );
}

function handled(turn: Turn, one: Asked, confirm: ConfirmHandler): Observable<TurnFact> {
  const { clock } = turn.ports;
  const { confirmationTimeoutMs: timeoutMs } = turn.settings.limits;
  return new Observable((subscriber) => {
    const request = {
      ...one.request,
      expiresAt: timeoutMs === Infinity ? null : clock.now() + timeoutMs,
      answeredBy: 'handler',
    } as const;
    const controller = new AbortController();
    const resolve = (resolution: Resolution, by: 'handler' | 'timeout') => {
      if (subscriber.closed) return;
      one.resolution = resolution;
      subscriber.next(resolvedFact(one.request, resolution, by));
      subscriber.complete();
    };
    subscriber.add(clock.schedule(() => resolve({ decision: 'timed-out' }, 'timeout'), timeoutMs));
    subscriber.add(() => controller.abort());
    subscriber.next({ type: 'confirmationRequested', request });
    if (subscriber.closed) return;
    const answer = async () => readDecision(await confirm(request, { signal: controller.signal }));
    answer().then(
      (resolution) => resolve(resolution, 'handler'),
      (error: unknown) =>
        resolve({ decision: 'denied', reason: `The handler failed: ${messageOf(error)}` }, 'handler'),
    );
  });
}

/** The turn was cancelled while the handler decided: its call runs if it was approved, no other one does. */
function afterCancel(turn: Turn, calls: readonly BatchCall[], decided: BatchCall): Observable<TurnFact> {
  if (turn.cancellation.level === null) return EMPTY;
  if (decided.rejected || decided.ready === null) turn.cancellation.checkpoint();
  decided.ready = { ...decided.ready!, runsDespiteCancel: true };
  const fact = rejectAll(
    calls.filter((call) => call !== decided),
    'cancelled',
    'Cancelled by the user, not run.',
  );
  return fact === null ? EMPTY : of(fact);
}

/** What the user's answer means for the call. */
function decide(one: Asked, resolution: Resolution): Observable<TurnFact> {
  switch (resolution.decision) {
    case 'approved':
      return EMPTY;
    case 'edited':
      return runEdited(one, resolution.arguments);
    default: {
      const [reason, text] = refusalOf(resolution);
      return of(reject(one.call, reason, text));
    }
  }
}

function refusalOf(
  resolution: Extract<Resolution, { decision: 'denied' | 'timed-out' | 'cancelled' }>,
): [RejectionReason, string] {
  if (resolution.decision === 'timed-out') {
    return ['confirmation-timeout', 'Not run: the user did not answer in time.'];
  }
  return [
    'declined',
    `The user declined this call.${resolution.reason ? ` Reason: ${resolution.reason}` : ''}`,
  ];
}

function runEdited({ call, ready }: Asked, edited: ReadyCall['arguments']): Observable<TurnFact> {
  return defer(async () => checkArguments(ready.tool, ready.validate, edited)).pipe(
    mergeMap((checked) => {
      if (!checked.ok)
        return of(reject(call, 'invalid-arguments', invalidArgumentsText(ready.tool, checked.issues)));
      call.ready = { ...ready, arguments: edited, value: checked.value, editedFrom: ready.arguments };
      return EMPTY;
    }),
  );
}
