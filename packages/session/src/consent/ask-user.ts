import type { Clock, JsonObject } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { Observable, type Subscriber } from 'rxjs';
import type { PreviewOutcome, Remembered, Resolution, RespondOutcome } from '../guards/decision.js';
import type { OpenQuestion, QuestionDesk } from '../turn/question-desk.js';
import type {
  CallPreview,
  ConfirmationOperation,
  ConfirmationRequest,
  ConfirmationResolved,
} from './confirmation-operations.js';
import type { Grant } from './consent-operations.js';
import { QuestionDeadline } from './question-deadline.js';
import { QuestionPreview, type PreviewMaker } from './question-preview.js';
import { readArguments, readDecision } from './read-decision.js';
import type { MadePreview } from './turn-previews.js';

/** A request to the user, and the functions that handle the answer. */
export interface Question {
  readonly request: Omit<ConfirmationRequest, 'expiresAt' | 'answeredBy'>;
  /** The preview in its request, and the functions that make other previews; null if the tool has no preview. */
  readonly previews: (PreviewMaker & { readonly shown: MadePreview }) | null;
  /** Returns the issues of edited arguments; an empty list if they fit. */
  validate(edited: JsonObject): readonly string[];
  /** Returns the grant for a remembered approval with these arguments, or the reasons why the approval cannot be remembered. */
  remember(remembered: Remembered, args: JsonObject): Grant | readonly string[];
  /**
   * Called once, when the request is settled; not called when the turn ends first.
   *
   * @param preview the approved preview; null if there is none
   */
  resolved(resolution: Resolution, grant: Grant | undefined, preview: MadePreview | null): void;
}

/** Questions that are asked together. */
interface Batch {
  readonly desk: QuestionDesk;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Receives the facts of the turn. */
  readonly subscriber: Subscriber<ConfirmationOperation>;
  /** The questions without an answer. */
  readonly open: Set<AskedQuestion>;
}

/** The interval at which open previews are checked for changes, in milliseconds, because a revision may change without a report. */
const LOOK_MS = 500;

/**
 * Opens all requests at once, for a view to answer. Completes when the last request is settled. Unsubscribing closes the open requests.
 *
 * @param timeoutMs the time for each request. Each answer of the user restarts the timers of all other questions of the desk, so that the
 *   user has the whole time for each question
 */
export function askUser(
  desk: QuestionDesk,
  questions: readonly Question[],
  clock: Clock,
  timeoutMs: number,
): Observable<ConfirmationOperation> {
  return new Observable((subscriber) => {
    const batch: Batch = { desk, clock, timeoutMs, subscriber, open: new Set() };
    const { open } = batch;
    for (const question of questions) open.add(new AskedQuestion(question, batch));
    for (const question of [...open]) question.ask();
    let stopLooking = () => {};
    const look = () => {
      for (const question of open) question.renew();
      stopLooking = [...open].some(({ hasPreview }) => hasPreview) ? clock.schedule(look, LOOK_MS) : () => {};
    };
    look();
    return () => {
      stopLooking();
      for (const question of open) question.end();
    };
  });
}

/** A question that a view answers. */
class AskedQuestion implements OpenQuestion {
  private readonly deadline: QuestionDeadline;
  private readonly preview: QuestionPreview | null;
  /** Aborts the previews that are being made for the question. */
  private readonly ended = new AbortController();
  private readonly leaveDesk: () => void;
  /** Whether its request was emitted. Only then can the question be answered. */
  private isAsked = false;

  constructor(
    private readonly question: Question,
    private readonly batch: Batch,
  ) {
    const { previews, request } = question;
    const expired = () => this.close({ decision: 'timed-out' }, { by: 'timeout' });
    this.deadline = new QuestionDeadline(batch.clock, batch.timeoutMs, expired);
    this.preview = previews && new QuestionPreview(previews.shown, previews, this.ended.signal);
    this.leaveDesk = batch.desk.add(request.id, this);
  }

  get hasPreview(): boolean {
    return this.preview !== null;
  }

  /** Emits the request. */
  ask(): void {
    const { expiresAt } = this.deadline;
    this.isAsked = true;
    const request = { ...this.question.request, expiresAt, answeredBy: 'signal' } as const;
    this.batch.subscriber.next({ type: 'confirmationRequested', request });
  }

  /** Ends the question without an operation. */
  end(): void {
    this.deadline.stop();
    this.ended.abort();
    this.leaveDesk();
  }

  respond(decision: unknown): RespondOutcome {
    if (!this.isAsked) return 'already-settled';
    const { question } = this;
    let resolution: Resolution;
    try {
      resolution = readDecision(decision);
    } catch (error) {
      return { errors: [messageOf(error)] };
    }
    if (resolution.decision === 'edited') {
      const errors = question.validate(resolution.arguments);
      if (errors.length > 0) return { errors };
    }
    const preview = this.approvedPreview(resolution);
    if (preview === undefined) return { errors: [STALE] };
    const grant = grantFor(question, resolution);
    if (isRefused(grant)) return { errors: grant };
    this.close(resolution, { by: 'user', grant, preview });
    return 'accepted';
  }

  deny(reason: string): void {
    this.respond({ approve: false, reason });
  }

  attend(attendant: string, isThere: boolean): void {
    const { question, deadline, batch } = this;
    if (this.isAsked) attend(question.request, deadline, batch.subscriber, attendant, isThere);
  }

  async previewOf(edited: unknown): Promise<PreviewOutcome> {
    if (!this.isAsked) return 'already-settled';
    if (this.preview === null) return { errors: ['The tool of this call has no preview.'] };
    let args: JsonObject;
    try {
      args = readArguments(edited);
    } catch (error) {
      return { errors: [messageOf(error)] };
    }
    const errors = this.question.validate(args);
    if (errors.length > 0) return { errors };
    const { preview, digest } = await this.preview.of(args);
    return this.ended.signal.aborted ? 'already-settled' : { preview, digest };
  }

  renew(): void {
    if (!this.isAsked) return;
    const { id: requestId, call } = this.question.request;
    void this.preview?.renewed().then((made) => {
      if (made === null || this.ended.signal.aborted) return;
      const { preview, digest } = made;
      this.batch.subscriber.next({ type: 'previewRenewed', requestId, callId: call.id, preview, digest });
    });
  }

  restart(): number | null {
    return this.deadline.restart();
  }

  /** Returns the preview that a decision approves; null if there is none, undefined if the decision names an outdated preview. */
  private approvedPreview(resolution: Resolution): MadePreview | null | undefined {
    if (resolution.decision !== 'approved' && resolution.decision !== 'edited') return null;
    if (this.preview !== null) return this.preview.approvedBy(resolution);
    return resolution.digest === undefined ? null : undefined;
  }

  private close(resolution: Resolution, { by, grant, preview = null }: AnswerParts): void {
    const { question, batch } = this;
    const { desk, subscriber, open } = batch;
    this.end();
    open.delete(this);
    // A timeout restarts no timer, so that several unanswered requests delay the turn by one deadline and not by several.
    const deadlines = by === 'user' ? desk.restarted() : {};
    question.resolved(resolution, grant, preview);
    const shown = resolution.decision === 'edited' ? preview?.preview : undefined;
    subscriber.next(resolvedFact(question.request, resolution, by, { grant, deadlines, preview: shown }));
    if (open.size === 0) subscriber.complete();
  }
}

/** The parts of an answer besides its decision. */
interface AnswerParts {
  readonly by: 'user' | 'timeout';
  readonly grant?: Grant | undefined;
  readonly preview?: MadePreview | null;
}

/** Why an approval of an earlier preview is refused. */
export const STALE = 'The preview of this call has changed since.';

/** Records that a view is at an open question, or is not there any more. Emits the new deadline if it has changed. */
export function attend(
  { id: requestId, call: { id: callId } }: Question['request'],
  deadline: QuestionDeadline,
  facts: Pick<Subscriber<ConfirmationOperation>, 'next'>,
  attendant: string,
  isThere: boolean,
): void {
  const expiresAt = deadline.attend(attendant, isThere);
  if (expiresAt === null) return;
  const attended = deadline.isAttended;
  facts.next({ type: 'confirmationAttended', requestId, callId, attended, expiresAt });
}

/** Returns the fact that a request was settled. */
export function resolvedFact(
  { id, call }: Question['request'],
  resolution: Resolution,
  by: ConfirmationResolved['by'],
  {
    grant,
    preview,
    deadlines = {},
  }: {
    readonly grant?: Grant | undefined;
    readonly preview?: CallPreview | undefined;
    readonly deadlines?: ConfirmationResolved['deadlines'];
  } = {},
): ConfirmationResolved {
  return defined({
    type: 'confirmationResolved',
    requestId: id,
    callId: call.id,
    decision: resolution.decision,
    by,
    reason: 'reason' in resolution ? resolution.reason : undefined,
    arguments: 'arguments' in resolution ? resolution.arguments : undefined,
    preview,
    grant,
    deadlines,
  });
}

/**
 * Returns the grant for a remembered approval, or the reasons why the approval cannot be remembered; undefined if it is not to be
 * remembered.
 */
export function grantFor(
  { request, remember }: Pick<Question, 'request' | 'remember'>,
  resolution: Resolution,
): Grant | readonly string[] | undefined {
  if (!('remembered' in resolution) || resolution.remembered === undefined) return undefined;
  const args = resolution.decision === 'edited' ? resolution.arguments : request.call.arguments;
  return remember(resolution.remembered, args);
}

/** Returns true if an approval cannot be remembered. */
export function isRefused(grant: Grant | readonly string[] | undefined): grant is readonly string[] {
  return Array.isArray(grant);
}
