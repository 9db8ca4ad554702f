import { defined } from '@banister/provider/internal/json/defined';
import { sameJson } from '@banister/provider/internal/json/same-json';
import { defer, EMPTY, finalize, from, merge, Subscription, type Observable, type Subscriber } from 'rxjs';
import * as told from '../conversation/model-words.js';
import type { Resolution } from '../guards/decision.js';
import type { Grant } from './consent-operations.js';
import type { TurnFact } from '../operations/operation.js';
import {
  checkArguments,
  invalidArgumentsText,
  issueTexts,
  withoutWrongNulls,
} from '../tools/check-arguments.js';
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
import { toldOf } from '../turn/doors.js';
import { fromAsync } from '../operations/from-async.js';
import { ownQuestions } from '../state/round-calls.js';
import type { Turn } from '../turn/turn-context.js';
import type { ConfirmHandler } from '../turn/turn-request.js';
import { written } from '../turn/written.js';
import { askUser, attending, grantFor, isRefused, resolvedFact, STALE, type Question } from './ask-user.js';
import { hasPreview } from './call-preview.js';
import { QuestionDeadline } from './question-deadline.js';
import { readDecision } from './read-decision.js';
import { signalOf } from './signal-of.js';
import type { TurnGrants } from './turn-grants.js';
import type { MadePreview, TurnPreviews } from './turn-previews.js';

/** A turn that asks, with its remembered approvals and its previews. */
export interface Asking {
  readonly turn: Turn;
  readonly previews: TurnPreviews;
  readonly grants: Pick<TurnGrants, 'grant' | 'given'>;
}

/** A call that needs a confirmation, with its request. */
interface CallToConfirm {
  readonly call: BatchCall;
  readonly ready: ReadyCall;
  request: Question['request'];
  /** The preview of the request; null if the tool has none, and until it is made. */
  preview: MadePreview | null;
  /** The user's answer; absent until there is one. */
  resolution?: Resolution;
}

/**
 * Asks for a confirmation of the calls for which a guard requires it. The user confirms, or the option `confirm`. The turn's clock is
 * paused meanwhile.
 *
 * @param allowed rejects calls if a mode denies them that was chosen after they were decided; it runs before each question
 */
export function confirmCalls(
  asking: Asking,
  calls: readonly BatchCall[],
  allowed: Observable<TurnFact>,
): Observable<TurnFact> {
  const { turn } = asking;
  return defer(() => {
    const asked = calls.flatMap((call) => toConfirm(turn, call));
    const closed = defer(() => closedFacts(turn, asked));
    if (asked.length === 0) return closed;
    const { confirm } = turn.settings;
    const release = turn.clock.hold();
    const checked = concat(allowed, closed);
    const answered = confirm
      ? asked.map((one) => byHandler(asking, calls, one, confirm, checked))
      : [previewed(asking, asked), checked, bySignal(asking, asked)];
    return concat(closed, ...answered).pipe(finalize(release));
  });
}

/** Closes the requests that were open when the turn was interrupted and whose calls have been denied since. */
function closedFacts(
  { current }: Pick<Turn, 'current'>,
  asked: readonly CallToConfirm[],
): Observable<TurnFact> {
  const again = asked.filter(({ call }) => !call.rejected).map(({ request }) => request.id);
  const gone = ownQuestions(current()).filter(({ id }) => !again.includes(id));
  return from(gone.map((request) => resolvedFact(request, { decision: 'cancelled' }, 'cancel')));
}

function toConfirm(turn: Turn, call: BatchCall): readonly CallToConfirm[] {
  const { ready, confirm, rejected } = call;
  if (rejected || ready === null || confirm === null) return [];
  const open = turn.current().pendingConfirmations.find((one) => one.call.id === ready.id);
  const request = defined({
    // A request that was open when the turn was interrupted is opened again.
    id: open?.id ?? turn.ports.ids.next('confirmation'),
    call: toolCallOf(ready),
    agent: turn.agent,
    ...confirm,
    irreversible: ready.tool.irreversible,
  });
  return [{ call, ready, request, preview: null }];
}

/** Makes the previews of requests before the requests are opened. A cancel ends the wait. */
function previewed(asking: Asking, asked: readonly CallToConfirm[]): Observable<never> {
  const all = asked.filter(({ ready }) => hasPreview(ready));
  if (all.length === 0) return EMPTY;
  return fromAsync<never>(async (facts) => {
    // Each preview has its own signal, because Node warns of more than ten listeners on one signal.
    await Promise.all(all.map((one) => makePreview(asking, one, signalOf(facts))));
  }).pipe(asking.turn.cancellation.untilCancelled());
}

/** Makes the preview of a request. A request that was open when the turn was interrupted may get a different preview now. */
async function makePreview(
  { turn, previews }: Asking,
  one: CallToConfirm,
  signal: AbortSignal,
): Promise<void> {
  const { ready, request } = one;
  const open = turn.current().pendingConfirmations.find(({ id }) => id === request.id);
  const before = open?.preview && open.digest ? { preview: open.preview, digest: open.digest } : undefined;
  const again = previews.takeAgain(ready);
  const made = again ?? (await previews.make(ready, ready.arguments, signal, before));
  const { preview, digest } = made;
  const isOther = again !== undefined || open?.changed === true || (before && before.digest !== digest);
  one.preview = made;
  one.request = { ...request, preview, digest, ...(isOther ? { changed: true } : {}) };
}

function questionOf(
  asking: Asking,
  { call, ready, request, preview }: CallToConfirm,
): Omit<Question, 'resolved'> {
  return {
    request,
    previews: preview && {
      shown: preview,
      make: (args, signal, before) => asking.previews.make(ready, args, signal, before),
      isOld: (made) => asking.previews.isOld(made, ready),
    },
    validate: (edited) => issueTexts(withoutWrongNulls(ready.validate, edited).issues),
    remember: (remembered, args) => asking.grants.grant(call, remembered, args),
  };
}

/**
 * Opens all requests at once, for a view to answer. Completes when all are answered and the answers are stored. A cancel ends the wait;
 * then `settle` closes the open requests.
 */
function bySignal(asking: Asking, asked: readonly CallToConfirm[]): Observable<TurnFact> {
  const { turn } = asking;
  return defer(() => {
    const open = asked.filter(({ call }) => !call.rejected);
    if (open.length === 0) return EMPTY;
    const questions = open.map((one): Question => ({
      ...questionOf(asking, one),
      resolved: (resolution, grant, preview) => {
        one.resolution = resolution;
        one.preview = preview;
        asking.grants.given(grant);
      },
    }));
    const decided = fromAsync<TurnFact>(async (facts) => {
      for (const one of open) {
        await decide(asking, one, one.resolution!, facts);
        if (facts.closed) return;
      }
    });
    const answered = merge(askUser(turn, questions), written(turn));
    return concat(answered, decided).pipe(turn.cancellation.untilCancelled());
  });
}

/**
 * Calls the app's handler for one request. The requests of a batch come one at a time, in call order. A plain cancel lets the running
 * handler finish. If the handler approves its call, this call still runs, and no other call.
 *
 * @param checked rejects the calls that the mode now in force denies
 */
function byHandler(
  asking: Asking,
  calls: readonly BatchCall[],
  one: CallToConfirm,
  confirm: ConfirmHandler,
  checked: Observable<TurnFact>,
): Observable<TurnFact> {
  const { turn } = asking;
  const answered = fromAsync<TurnFact>(async (facts) => {
    if (one.call.rejected) return;
    turn.cancellation.checkpoint();
    let isAnswered = false;
    const answer = callHandler(asking, one, confirm, facts);
    const recorded = untilRecorded(turn, facts, () => !isAnswered);
    const resolution = await answer;
    isAnswered = true;
    if (facts.closed) return;
    await decide(asking, one, resolution, facts);
    if (facts.closed) return;
    if (turn.cancellation.level !== null) goOnAlone(turn, calls, one.call, facts);
    await recorded;
  });
  // The call is already rejected if a cancel came during an earlier request: then only the call of that request runs.
  return defer(() => (one.call.rejected ? EMPTY : concat(previewed(asking, [one]), checked, answered)));
}

/**
 * Resolves when the request is stored. A refused write ends the turn at once, even while the handler runs. A cancel ends it too, but not
 * while the handler runs.
 */
function untilRecorded(turn: Turn, facts: Subscriber<TurnFact>, handlerRuns: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const recording = written(turn).pipe(turn.cancellation.untilCancelled(handlerRuns));
    facts.add(recording.subscribe({ complete: resolve, error: (error: unknown) => facts.error(error) }));
  });
}

/** Resolves with the handler's answer, or with a time-out. When the turn ends first, the signal fires and the promise never resolves. */
function callHandler(
  asking: Asking,
  one: CallToConfirm,
  confirm: ConfirmHandler,
  facts: Subscriber<TurnFact>,
): Promise<Resolution> {
  const { turn } = asking;
  const { request: asked } = one;
  const { confirmationTimeoutMs: timeoutMs } = turn.settings.limits;
  return new Promise((resolve) => {
    const expired = () => finish({ decision: 'timed-out' }, 'timeout');
    const deadline = new QuestionDeadline(turn.ports.clock, timeoutMs, expired);
    const request = { ...asked, expiresAt: deadline.expiresAt, answeredBy: 'handler' } as const;
    const controller = new AbortController();
    const waiting = new Subscription(() => controller.abort());
    const finish = (resolution: Resolution, by: 'handler' | 'timeout' | 'user', grant?: Grant) => {
      if (waiting.closed) return;
      asking.grants.given(grant);
      facts.next(resolvedFact(asked, resolution, by, { grant }));
      waiting.unsubscribe();
      resolve(resolution);
    };
    facts.add(waiting);
    const deny = (reason: string, by: 'handler' | 'user' = 'handler') =>
      finish({ decision: 'denied', reason }, by);
    const { open } = turn.host.desk;
    waiting.add(() => {
      deadline.stop();
      open.delete(asked.id);
    });
    open.set(asked.id, {
      deny: (reason) => deny(reason, 'user'),
      attend: attending(asked, deadline, facts),
    });
    facts.next({ type: 'confirmationRequested', request });
    if (waiting.closed) return;
    const answer = async () => readDecision(await confirm(request, { signal: controller.signal }));
    answer().then(
      (resolution) => {
        const grant = grantFor(questionOf(asking, one), resolution);
        const refused = isRefused(grant) ? grant : staleIn(asked, resolution);
        if (refused.length > 0) deny(refused.join(' '));
        else finish(resolution, 'handler', grant as Grant | undefined);
      },
      (error: unknown) =>
        toldOf(turn, error).then(
          (reason) => deny(told.handlerFailed(reason)),
          (refusal: unknown) => facts.error(refusal),
        ),
    );
  });
}

/**
 * Returns why the handler's approval is refused, if it names another preview than the handler received; an empty list for any other
 * decision.
 */
function staleIn({ digest: shown }: Question['request'], resolution: Resolution): readonly string[] {
  const isStale = 'digest' in resolution && (resolution.digest ?? shown) !== shown;
  return isStale ? [STALE] : [];
}

/**
 * Called after a cancel while the handler was running. Rejects all other calls. Throws `cancelled` unless the handler approved its call.
 */
function goOnAlone(
  turn: Turn,
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

/** Applies a decision to its call: the call keeps its arguments, gets other arguments, or is rejected. */
async function decide(
  asking: Asking,
  one: CallToConfirm,
  resolution: Resolution,
  facts: Subscriber<TurnFact>,
): Promise<void> {
  const { call } = one;
  const isApproved = resolution.decision === 'approved' || resolution.decision === 'edited';
  if (call.asksForRerun && !(isApproved && asking.previews.isAgain(call))) {
    facts.next(interruptedFact(call.requested.callId, isApproved ? 'rerun' : 'skipped'));
    call.rejected = !isApproved;
    if (!isApproved) return;
  }
  const rejected = !isApproved
    ? reject(call, ...refusalOf(resolution))
    : resolution.decision === 'edited'
      ? await takeEdit(one, resolution.arguments)
      : null;
  if (facts.closed) return;
  if (rejected !== null) facts.next(rejected);
  else await approved(asking, one, facts);
}

/**
 * Keeps the preview of an approved call, for the comparison before the call starts. For edited arguments without a preview, makes the
 * preview here.
 */
async function approved(
  { previews }: Asking,
  one: CallToConfirm,
  facts: Subscriber<TurnFact>,
): Promise<void> {
  const { call, preview } = one;
  const ready = call.ready!;
  if (!hasPreview(ready)) return;
  const isOf = preview !== null && sameJson(preview.arguments, ready.arguments);
  const made = isOf ? preview : await previews.make(ready, ready.arguments, signalOf(facts));
  previews.approve(ready, call.confirm!, made);
}

/** Replaces the model's arguments with the edited arguments. Returns the fact of a rejection if these do not fit, otherwise null. */
async function takeEdit(
  { call, ready }: CallToConfirm,
  edited: ReadyCall['arguments'],
): Promise<TurnFact | null> {
  const checked = await checkArguments(ready.tool, ready.validate, edited);
  if (!checked.ok) {
    const text = invalidArgumentsText(ready.tool, checked.issues);
    return reject(call, 'invalid-arguments', `${refusedEditLine(ready.arguments, edited)} ${text}`);
  }
  const editedFrom = ready.editedFrom ?? ready.arguments;
  call.ready = { ...ready, arguments: edited, value: checked.value, editedFrom };
  return null;
}
