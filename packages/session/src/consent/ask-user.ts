import type { JsonObject } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { Observable, type Subscriber } from 'rxjs';
import type { Remembered, Resolution } from '../guards/decision.js';
import type { OpenQuestion } from '../turn/question-desk.js';
import type { Turn } from '../turn/turn-context.js';
import type {
  CallPreview,
  ConfirmationOperation,
  ConfirmationRequest,
  ConfirmationResolved,
  DigestedPreview,
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

/** The members of a turn that its questions need. */
type AskingTurn = Pick<Turn, 'host' | 'ports' | 'settings'>;

/** A question that a view answers. */
interface AskedQuestion extends Required<OpenQuestion> {
  /** Emits the request. */
  ask(): void;
  /** Ends the question without an operation. */
  end(): void;
}

/** The interval at which open previews are checked for changes, in milliseconds, because a revision may change without a report. */
const LOOK_MS = 500;

/**
 * Opens all requests at once, for a view to answer. Completes when the last request is settled. Unsubscribing closes the open requests. Each
 * answer of the user restarts the timers of all other questions of the desk, so that the user has the whole time for each question.
 */
export function askUser(turn: AskingTurn, questions: readonly Question[]): Observable<ConfirmationOperation> {
  return new Observable((facts) => {
    const open = new Set<AskedQuestion>();
    for (const question of questions) open.add(opened(turn, question, facts, open));
    for (const question of [...open]) question.ask();
    let stopLooking = () => {};
    const look = () => {
      for (const { renew } of open) renew();
      stopLooking = turn.ports.clock.schedule(look, LOOK_MS);
    };
    if (questions.some(({ previews }) => previews)) look();
    return () => {
      stopLooking();
      for (const { end } of open) end();
    };
  });
}

/**
 * Puts a question on the desk. Until its request was emitted, it cannot be answered.
 *
 * @param open the questions of the batch without an answer
 */
function opened(
  { host: { desk }, ports, settings }: AskingTurn,
  question: Question,
  facts: Subscriber<ConfirmationOperation>,
  open: Set<AskedQuestion>,
): AskedQuestion {
  const { request, previews } = question;
  const { id: requestId, call } = request;
  // Aborts the previews that are being made for the question.
  const ended = new AbortController();
  const preview = previews && new QuestionPreview(previews.shown, previews, ended.signal);
  const close = ({ resolution, by, grant, preview: approved = null }: Answer) => {
    asked.end();
    open.delete(asked);
    const deadlines: Record<string, number | null> = {};
    // A timeout restarts no timer, so that several unanswered requests delay the turn by one deadline and not by several.
    for (const [id, other] of by === 'user' ? desk.open : [])
      if (other.restart) deadlines[id] = other.restart();
    question.resolved(resolution, grant, approved);
    const shown = resolution.decision === 'edited' ? approved?.preview : undefined;
    facts.next(resolvedFact(request, resolution, by, { grant, deadlines, preview: shown }));
    if (open.size === 0) facts.complete();
  };
  const expired = () => close({ resolution: { decision: 'timed-out' }, by: 'timeout' });
  const deadline = new QuestionDeadline(ports.clock, settings.limits.confirmationTimeoutMs, expired);
  const restart = () => deadline.restart();
  const asked: AskedQuestion = {
    ask: () => {
      const { expiresAt } = deadline;
      desk.open.set(requestId, asked);
      facts.next({ type: 'confirmationRequested', request: { ...request, expiresAt, answeredBy: 'signal' } });
    },
    end: () => {
      deadline.stop();
      ended.abort();
      desk.open.delete(requestId);
    },
    respond: (decision) => {
      const answer = answerOf(question, preview, decision);
      if ('errors' in answer) return answer;
      close(answer);
      return 'accepted';
    },
    deny: (reason) => void asked.respond({ approve: false, reason }),
    attend: attending(request, deadline, facts),
    previewOf: async (edited) => {
      const made = await previewOf(question, preview, edited);
      return ended.signal.aborted ? 'already-settled' : made;
    },
    renew: async () => {
      const made = await preview?.renewed();
      if (!made || ended.signal.aborted) return;
      const { preview: shown, digest } = made;
      facts.next({ type: 'previewRenewed', requestId, callId: call.id, preview: shown, digest });
    },
    restart,
  };
  desk.open.set(requestId, { restart });
  return asked;
}

/** How a question was answered. */
interface Answer {
  readonly resolution: Resolution;
  readonly by: 'user' | 'timeout';
  readonly grant?: Grant | undefined;
  /** The approved preview; null if there is none. */
  readonly preview?: MadePreview | null;
}

interface Refused {
  readonly errors: readonly string[];
}

/** Returns the user's answer to a question, or the reasons why the answer is refused. */
function answerOf(question: Question, shown: QuestionPreview | null, decision: unknown): Answer | Refused {
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
  const preview = approvedPreview(shown, resolution);
  if (preview === undefined) return { errors: [STALE] };
  const grant = grantFor(question, resolution);
  return isRefused(grant) ? { errors: grant } : { resolution, by: 'user', grant, preview };
}

/** Returns the preview that a decision approves; null if there is none, undefined if the decision names an outdated preview. */
function approvedPreview(
  shown: QuestionPreview | null,
  resolution: Resolution,
): MadePreview | null | undefined {
  if (resolution.decision !== 'approved' && resolution.decision !== 'edited') return null;
  if (shown !== null) return shown.approvedBy(resolution);
  return resolution.digest === undefined ? null : undefined;
}

/** Makes the preview of a question with edited arguments. */
async function previewOf(
  { validate }: Question,
  shown: QuestionPreview | null,
  edited: unknown,
): Promise<DigestedPreview | Refused> {
  if (shown === null) return { errors: ['The tool of this call has no preview.'] };
  let args: JsonObject;
  try {
    args = readArguments(edited);
  } catch (error) {
    return { errors: [messageOf(error)] };
  }
  const errors = validate(args);
  if (errors.length > 0) return { errors };
  const { preview, digest } = await shown.of(args);
  return { preview, digest };
}

/** Why an approval of an earlier preview is refused. */
export const STALE = 'The preview of this call has changed since.';

/** Returns the function that records that a view is at a question, or is not there any more. It emits the new deadline if it has changed. */
export function attending(
  { id: requestId, call: { id: callId } }: Question['request'],
  deadline: QuestionDeadline,
  facts: Pick<Subscriber<ConfirmationOperation>, 'next'>,
): NonNullable<OpenQuestion['attend']> {
  return (attendant, isThere) => {
    const expiresAt = deadline.attend(attendant, isThere);
    if (expiresAt === null) return;
    const attended = deadline.isAttended;
    facts.next({ type: 'confirmationAttended', requestId, callId, attended, expiresAt });
  };
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
