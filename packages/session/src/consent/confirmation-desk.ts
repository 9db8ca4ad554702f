import type { Clock, JsonObject } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { Observable, type Subscriber } from 'rxjs';
import type { Decision, PreviewOutcome, Remembered, Resolution, RespondOutcome } from '../guards/decision.js';
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

/** A question without an answer. */
interface OpenQuestion {
  readonly question: Question;
  /** The subscriber that receives the facts of the turn. */
  readonly subscriber: Subscriber<ConfirmationOperation>;
  readonly deadline: QuestionDeadline;
  readonly preview: QuestionPreview | null;
  /** Aborts the previews that are being made for the question. */
  readonly ended: AbortController;
  /** Whether its request was emitted. Only then can the question be answered. */
  isAsked: boolean;
}

/** An open question with a deadline. */
interface TimedQuestion {
  readonly requestId: string;
  readonly callId: string;
  readonly deadline: QuestionDeadline;
  readonly subscriber: Subscriber<ConfirmationOperation>;
}

/** An open question that the option `confirm` answers. */
interface HandledQuestion extends TimedQuestion {
  /** Settles the question before the option `confirm` answers it. */
  deny(reason: string, by: 'user'): void;
}

/** The interval at which open previews are checked for changes, in milliseconds, because a revision may change without a report. */
const LOOK_MS = 500;

/**
 * The open confirmation requests of a turn. Several requests may be open at the same time. Each answer restarts the timers of the other
 * requests, so that the user has the whole time for each request.
 */
export class ConfirmationDesk {
  private readonly open = new Map<string, OpenQuestion>();
  /** The open questions that the option `confirm` answers, by request id. */
  private readonly handled = new Map<string, HandledQuestion>();
  private stopLooking: () => void = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  /** Opens all requests at once; completes when the last request is settled. Unsubscribing closes the open requests. */
  ask(questions: readonly Question[]): Observable<ConfirmationOperation> {
    return new Observable((subscriber) => {
      for (const question of questions) this.open.set(question.request.id, this.opened(question, subscriber));
      for (const entry of [...this.open.values()]) {
        const { expiresAt } = entry.deadline;
        entry.isAsked = true;
        subscriber.next({
          type: 'confirmationRequested',
          request: { ...entry.question.request, expiresAt, answeredBy: 'signal' },
        });
      }
      this.domainChanged();
      this.look();
      return () => {
        this.stopLooking();
        for (const entry of this.open.values()) end(entry);
        this.open.clear();
      };
    });
  }

  /** Settles a request by the user's decision. When it returns, the operation `confirmationResolved` has been delivered. */
  respond(requestId: string, decision: Decision): RespondOutcome {
    const entry = this.asked(requestId);
    if (entry === undefined) return 'already-settled';
    const { question } = entry;
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
    const preview = approvedPreview(entry, resolution);
    if (preview === undefined) return { errors: [STALE] };
    const grant = grantFor(question, resolution);
    if (isRefused(grant)) return { errors: grant };
    this.close(requestId, entry, resolution, { by: 'user', grant, preview });
    return 'accepted';
  }

  /** Settles a request because the mode denies its call. */
  deny(requestId: string, reason: string): void {
    this.handled.get(requestId)?.deny(reason, 'user');
    this.respond(requestId, { approve: false, reason });
  }

  /** Registers a question that the option `confirm` answers, until the returned function is called. */
  handle(question: HandledQuestion): () => void {
    const { requestId, deadline } = question;
    this.handled.set(requestId, question);
    return () => {
      deadline.stop();
      this.handled.delete(requestId);
    };
  }

  /** Records that a view is at an open question, or is not there any more. */
  attend(requestId: string, attendant: string, isThere: boolean): void {
    const question = this.timed(requestId);
    if (question === undefined) return;
    const { callId, deadline, subscriber } = question;
    const expiresAt = deadline.attend(attendant, isThere);
    if (expiresAt === null) return;
    const attended = deadline.isAttended;
    subscriber.next({ type: 'confirmationAttended', requestId, callId, attended, expiresAt });
  }

  /** Makes the preview of an open question with edited arguments. */
  async previewOf(requestId: string, edited: unknown): Promise<PreviewOutcome> {
    const entry = this.asked(requestId);
    if (entry === undefined) return 'already-settled';
    if (entry.preview === null) return { errors: ['The tool of this call has no preview.'] };
    let args: JsonObject;
    try {
      args = readArguments(edited);
    } catch (error) {
      return { errors: [messageOf(error)] };
    }
    const errors = entry.question.validate(args);
    if (errors.length > 0) return { errors };
    const { preview, digest } = await entry.preview.of(args);
    return this.open.get(requestId) === entry ? { preview, digest } : 'already-settled';
  }

  /** Called when a domain may have changed. Makes the previews of open questions again if they may be different now. */
  domainChanged(): void {
    for (const entry of this.open.values()) if (entry.isAsked) void this.renew(entry);
  }

  /** Returns the open question with this id. */
  private timed(requestId: string): TimedQuestion | undefined {
    const asked = this.asked(requestId);
    if (asked === undefined) return this.handled.get(requestId);
    return { ...asked, requestId, callId: asked.question.request.call.id };
  }

  private asked(requestId: string): OpenQuestion | undefined {
    const entry = this.open.get(requestId);
    return entry?.isAsked ? entry : undefined;
  }

  private opened(question: Question, subscriber: Subscriber<ConfirmationOperation>): OpenQuestion {
    const { request, previews } = question;
    const ended = new AbortController();
    const expired = () => {
      const entry = this.open.get(request.id);
      if (entry) this.close(request.id, entry, { decision: 'timed-out' }, { by: 'timeout' });
    };
    return {
      question,
      subscriber,
      deadline: new QuestionDeadline(this.clock, this.timeoutMs, expired),
      preview: previews && new QuestionPreview(previews.shown, previews, ended.signal),
      ended,
      isAsked: false,
    };
  }

  private async renew(entry: OpenQuestion): Promise<void> {
    const { id: requestId, call } = entry.question.request;
    const made = await entry.preview?.renewed();
    if (!made || this.open.get(requestId) !== entry) return;
    const { preview, digest } = made;
    entry.subscriber.next({ type: 'previewRenewed', requestId, callId: call.id, preview, digest });
  }

  /** While a preview is open, checks the previews repeatedly. */
  private look(): void {
    this.stopLooking();
    if (![...this.open.values()].some(({ preview }) => preview !== null)) return;
    this.stopLooking = this.clock.schedule(() => {
      this.domainChanged();
      this.look();
    }, LOOK_MS);
  }

  private close(
    requestId: string,
    entry: OpenQuestion,
    resolution: Resolution,
    { by, grant, preview = null }: AnswerParts,
  ): void {
    const { question, subscriber } = entry;
    end(entry);
    this.open.delete(requestId);
    const deadlines: Record<string, number | null> = {};
    // A timeout restarts no timer, so that several unanswered requests delay the turn by one deadline and not by several.
    for (const [id, other] of by === 'user' ? this.open : []) deadlines[id] = other.deadline.restart();
    question.resolved(resolution, grant, preview);
    const shown = resolution.decision === 'edited' ? preview?.preview : undefined;
    subscriber.next(resolvedFact(question.request, resolution, by, { grant, deadlines, preview: shown }));
    if (this.open.size === 0) subscriber.complete();
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

/** Stops the timers and the previews of a question. */
function end({ deadline, ended }: OpenQuestion): void {
  deadline.stop();
  ended.abort();
}

/** Returns the preview that a decision approves; null if there is none, undefined if the decision names an outdated preview. */
function approvedPreview({ preview }: OpenQuestion, resolution: Resolution): MadePreview | null | undefined {
  if (resolution.decision !== 'approved' && resolution.decision !== 'edited') return null;
  if (preview !== null) return preview.approvedBy(resolution);
  return resolution.digest === undefined ? null : undefined;
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
