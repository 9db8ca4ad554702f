import * as told from '../conversation/model-words.js';
import { defer, finalize, from, merge, Subscription, type Observable, type Subscriber } from 'rxjs';
import { messageOf } from '../errors/to-session-error.js';
import type { Resolution } from '../guards/decision.js';
import type { Grant } from '../operations/consent-operations.js';
import type { TurnFact } from '../operations/operation.js';
import { checkArguments, invalidArgumentsText, issueTexts } from '../tools/check-arguments.js';
import {
  refusalOf,
  reject,
  rejectAll,
  toolCallOf,
  type BatchCall,
  type ReadyCall,
} from '../turn/batch-call.js';
import { concat } from '../turn/concat.js';
import { interruptedFact } from '../turn/interrupted-fact.js';
import { refusedEditLine } from '../turn/edited-line.js';
import { fromAsync } from '../operations/from-async.js';
import type { AskingTurn, ConfirmHandler } from '../turn/turn-request.js';
import { written } from '../turn/written.js';
import {
  grantFor,
  isRefused,
  readDecision,
  resolvedFact,
  type ConfirmationDesk,
  type Question,
} from './confirmation-desk.js';
import type { TurnGrants } from './turn-grants.js';

/** A turn, the desk with its open questions, and the approvals that are remembered. */
export interface AskedTurn extends AskingTurn {
  readonly desk: ConfirmationDesk;
  readonly grants: Pick<TurnGrants, 'grant' | 'given'>;
}

/** A call that needs a confirmation, with its request. */
interface CallToConfirm {
  readonly call: BatchCall;
  readonly ready: ReadyCall;
  readonly request: Question['request'];
}

/**
 * Confirms the calls for which a guard requires it: by the user, or by the option `confirm`. The turn's clock is paused
 * meanwhile.
 */
export function confirmCalls(turn: AskedTurn, calls: readonly BatchCall[]): Observable<TurnFact> {
  return defer(() => {
    const asked = calls.flatMap((call) => toConfirm(turn, call));
    const closed = closedFacts(turn, asked);
    if (asked.length === 0) return closed;
    const { confirm } = turn.settings;
    const release = turn.clock.hold();
    const answered = confirm ? byHandler(turn, calls, asked, confirm) : bySignal(turn, asked);
    return concat(closed, answered).pipe(finalize(release));
  });
}

/** Closes the requests that were open when the turn was interrupted, and whose calls are denied now. */
function closedFacts(
  { current }: Pick<AskedTurn, 'current'>,
  asked: readonly CallToConfirm[],
): Observable<TurnFact> {
  const again = new Set(asked.map(({ request }) => request.id));
  const gone = current().pendingConfirmations.filter(({ id }) => !again.has(id));
  return from(gone.map((request) => resolvedFact(request, { decision: 'cancelled' }, 'cancel')));
}

function toConfirm(turn: AskedTurn, call: BatchCall): readonly CallToConfirm[] {
  const { ready, confirm, rejected } = call;
  if (rejected || ready === null || confirm === null) return [];
  const request = {
    // A request that was open when the turn was interrupted is opened again.
    id: openRequestOf(turn, ready.id) ?? turn.ports.ids.next('confirmation'),
    call: toolCallOf(ready),
    ...confirm,
    irreversible: ready.tool.irreversible,
  };
  return [{ call, ready, request }];
}

function openRequestOf({ current }: Pick<AskedTurn, 'current'>, callId: string): string | undefined {
  return current().pendingConfirmations.find(({ call }) => call.id === callId)?.id;
}

function questionOf(turn: AskedTurn, { call, ready, request }: CallToConfirm): Omit<Question, 'resolved'> {
  return {
    request,
    validate: (edited) => issueTexts(ready.validate(edited)),
    remember: (remembered, args) => turn.grants.grant(call, remembered, args),
  };
}

/**
 * Opens all requests at once, for a view to answer, and completes when all are answered and recorded. A cancel ends the wait; `settle` then
 * closes the open requests.
 */
function bySignal(turn: AskedTurn, asked: readonly CallToConfirm[]): Observable<TurnFact> {
  const resolutions = new Map<CallToConfirm, Resolution>();
  const questions = asked.map((one): Question => ({
    ...questionOf(turn, one),
    resolved: (resolution, grant) => {
      resolutions.set(one, resolution);
      turn.grants.given(grant);
    },
  }));
  const decided = fromAsync<TurnFact>(async (facts) => {
    for (const one of asked) {
      await decide(one, resolutions.get(one)!, facts);
      if (facts.closed) return;
    }
  });
  const answered = merge(turn.desk.ask(questions), written(turn));
  return concat(answered, decided).pipe(turn.cancellation.untilCancelled());
}

/**
 * Calls the app's handler for one request at a time, in call order. A plain cancel lets the running handler finish. The call that it
 * approves then still runs, alone.
 */
function byHandler(
  turn: AskedTurn,
  calls: readonly BatchCall[],
  asked: readonly CallToConfirm[],
  confirm: ConfirmHandler,
): Observable<TurnFact> {
  return fromAsync<TurnFact>(async (facts) => {
    for (const one of asked) {
      // A cancel during an earlier request rejected this call: only the call of that request runs.
      if (one.call.rejected) continue;
      turn.cancellation.checkpoint();
      let isAnswered = false;
      const answer = callHandler(turn, one, confirm, facts);
      const recorded = untilRecorded(turn, facts, () => !isAnswered);
      const resolution = await answer;
      isAnswered = true;
      if (facts.closed) return;
      await decide(one, resolution, facts);
      if (facts.closed) return;
      if (turn.cancellation.level !== null) goOnAlone(turn, calls, one.call, facts);
      await recorded;
      if (facts.closed) return;
    }
  });
}

/**
 * Resolves when the request is recorded. A refused write ends the turn at once, also while the handler runs; so does a cancel, unless the
 * handler runs.
 */
function untilRecorded(
  turn: AskedTurn,
  facts: Subscriber<TurnFact>,
  handlerRuns: () => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const recording = written(turn).pipe(turn.cancellation.untilCancelled(handlerRuns));
    facts.add(recording.subscribe({ complete: resolve, error: (error: unknown) => facts.error(error) }));
  });
}

/** Resolves with the handler's answer, or with a time-out. When the turn ends first, the signal fires and it never resolves. */
function callHandler(
  turn: AskedTurn,
  one: CallToConfirm,
  confirm: ConfirmHandler,
  facts: Subscriber<TurnFact>,
): Promise<Resolution> {
  const { request: asked } = one;
  const { clock } = turn.ports;
  const { confirmationTimeoutMs: timeoutMs } = turn.settings.limits;
  return new Promise((resolve) => {
    const request = {
      ...asked,
      expiresAt: timeoutMs === Infinity ? null : clock.now() + timeoutMs,
      answeredBy: 'handler',
    } as const;
    const controller = new AbortController();
    const waiting = new Subscription(() => controller.abort());
    const finish = (resolution: Resolution, by: 'handler' | 'timeout', grant?: Grant) => {
      if (waiting.closed) return;
      turn.grants.given(grant);
      facts.next(resolvedFact(asked, resolution, by, { grant }));
      waiting.unsubscribe();
      resolve(resolution);
    };
    facts.add(waiting);
    waiting.add(clock.schedule(() => finish({ decision: 'timed-out' }, 'timeout'), timeoutMs));
    facts.next({ type: 'confirmationRequested', request });
    if (waiting.closed) return;
    const answer = async () => readDecision(await confirm(request, { signal: controller.signal }));
    answer().then(
      (resolution) => {
        const grant = grantFor(questionOf(turn, one), resolution);
        if (isRefused(grant)) finish({ decision: 'denied', reason: grant.join(' ') }, 'handler');
        else finish(resolution, 'handler', grant);
      },
      (error: unknown) =>
        finish({ decision: 'denied', reason: told.handlerFailed(messageOf(error)) }, 'handler'),
    );
  });
}

/** After a cancel during the handler: rejects all other calls. Throws `cancelled` unless the handler approved its call. */
function goOnAlone(
  turn: AskedTurn,
  calls: readonly BatchCall[],
  decided: BatchCall,
  facts: Subscriber<TurnFact>,
): void {
  if (decided.rejected || decided.ready === null) turn.cancellation.checkpoint();
  decided.ready = { ...decided.ready!, runsDespiteCancel: true };
  const others = calls.filter((call) => call !== decided);
  const fact = rejectAll(others, 'cancelled', told.cancelled);
  if (fact !== null) facts.next(fact);
}

/** Applies a decision to its call: it stays as it is, gets other arguments, or is rejected. */
async function decide(
  one: CallToConfirm,
  resolution: Resolution,
  facts: Subscriber<TurnFact>,
): Promise<void> {
  const { call } = one;
  const isApproved = resolution.decision === 'approved' || resolution.decision === 'edited';
  if (call.asksForRerun) {
    facts.next(interruptedFact(call.requested.callId, isApproved ? 'rerun' : 'skipped'));
    call.rejected = !isApproved;
    if (!isApproved) return;
  }
  if (resolution.decision === 'approved') return;
  const rejected =
    resolution.decision === 'edited'
      ? await takeEdit(one, resolution.arguments)
      : reject(one.call, ...refusalOf(resolution));
  if (rejected !== null) facts.next(rejected);
}

/** Replaces the model's arguments by the edited ones. Returns the fact of a rejection where they do not fit, else null. */
async function takeEdit(
  { call, ready }: CallToConfirm,
  edited: ReadyCall['arguments'],
): Promise<TurnFact | null> {
  const checked = await checkArguments(ready.tool, ready.validate, edited);
  if (!checked.ok) {
    const text = invalidArgumentsText(ready.tool, checked.issues);
    return reject(call, 'invalid-arguments', `${refusedEditLine(ready.arguments, edited)} ${text}`);
  }
  call.ready = { ...ready, arguments: edited, value: checked.value, editedFrom: ready.arguments };
  return null;
}
