import { Observable, type Subscriber } from 'rxjs';
import { messageOf } from '../errors/to-session-error.js';
import type { Decision, Remembered, Resolution, RespondOutcome } from '../guards/decision.js';
import { defined } from '../json/defined.js';
import { deepFreeze, isJsonObject, type JsonObject } from '../json/json.js';
import { jsonCopy } from '../json/json-copy.js';
import type {
  ConfirmationRequest,
  ConfirmationRequested,
  ConfirmationResolved,
} from '../operations/confirmation-operations.js';
import type { Grant } from '../operations/consent-operations.js';
import type { Clock } from '../ports/clock.js';

/** A request to the user, and the functions that handle the answer. */
export interface Question {
  readonly request: Omit<ConfirmationRequest, 'expiresAt' | 'answeredBy'>;
  /** The issues of edited arguments; an empty list means that they fit. */
  validate(edited: JsonObject): readonly string[];
  /** Returns the grant for an approval that is remembered, with the arguments that run; the reasons where it cannot be. */
  remember(remembered: Remembered, args: JsonObject): Grant | readonly string[];
  /** Is called once, when the request is settled; not when the turn ends first. */
  resolved(resolution: Resolution, grant: Grant | undefined): void;
}

type ConfirmationFact = ConfirmationRequested | ConfirmationResolved;

/** A question without an answer. */
interface OpenQuestion {
  readonly question: Question;
  /** The turn of the request. */
  readonly subscriber: Subscriber<ConfirmationFact>;
  stopTimer: () => void;
  /** Whether its request was emitted: only then it can be answered. */
  isAsked: boolean;
}

/**
 * The open confirmation requests of a turn. Several are open together; each answer restarts the timers of the others, so that the
 * user has the whole time for each of them.
 */
export class ConfirmationDesk {
  private readonly open = new Map<string, OpenQuestion>();

  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
  ) {}

  /** Opens all requests at once; completes when the last one is settled. Unsubscribing closes those that are open. */
  ask(questions: readonly Question[]): Observable<ConfirmationFact> {
    return new Observable((subscriber) => {
      for (const question of questions)
        this.open.set(question.request.id, {
          question,
          subscriber,
          stopTimer: this.startTimer(question.request.id),
          isAsked: false,
        });
      for (const entry of [...this.open.values()]) {
        entry.isAsked = true;
        subscriber.next({
          type: 'confirmationRequested',
          request: { ...entry.question.request, expiresAt: this.deadline(), answeredBy: 'signal' },
        });
      }
      return () => {
        for (const { stopTimer } of this.open.values()) stopTimer();
        this.open.clear();
      };
    });
  }

  /** Settles a request by the user's decision. The operation `confirmationResolved` was delivered when this returns. */
  respond(requestId: string, decision: Decision): RespondOutcome {
    const entry = this.open.get(requestId);
    if (!entry?.isAsked) return 'already-settled';
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
    const grant = grantFor(question, resolution);
    if (isRefused(grant)) return { errors: grant };
    this.close(requestId, entry, resolution, { by: 'user', grant });
    return 'accepted';
  }

  private close(
    requestId: string,
    { question, subscriber, stopTimer }: OpenQuestion,
    resolution: Resolution,
    { by, grant }: { readonly by: 'user' | 'timeout'; readonly grant?: Grant | undefined },
  ): void {
    stopTimer();
    this.open.delete(requestId);
    const deadlines: Record<string, number | null> = {};
    // A timeout restarts no timer: several requests without an answer delay the turn by one deadline, not by several.
    for (const [id, other] of by === 'user' ? this.open : []) {
      other.stopTimer();
      other.stopTimer = this.startTimer(id);
      deadlines[id] = this.deadline();
    }
    question.resolved(resolution, grant);
    subscriber.next(resolvedFact(question.request, resolution, by, { grant, deadlines }));
    if (this.open.size === 0) subscriber.complete();
  }

  private startTimer(requestId: string): () => void {
    if (this.timeoutMs === Infinity) return () => {};
    return this.clock.schedule(() => {
      const entry = this.open.get(requestId);
      if (entry) this.close(requestId, entry, { decision: 'timed-out' }, { by: 'timeout' });
    }, this.timeoutMs);
  }

  private deadline(): number | null {
    return this.timeoutMs === Infinity ? null : this.clock.now() + this.timeoutMs;
  }
}

/** Returns the fact that a request was settled. */
export function resolvedFact(
  { id, call }: Question['request'],
  resolution: Resolution,
  by: ConfirmationResolved['by'],
  {
    grant,
    deadlines = {},
  }: { readonly grant?: Grant | undefined; readonly deadlines?: ConfirmationResolved['deadlines'] } = {},
): ConfirmationResolved {
  return defined({
    type: 'confirmationResolved',
    requestId: id,
    callId: call.id,
    decision: resolution.decision,
    by,
    reason: 'reason' in resolution ? resolution.reason : undefined,
    arguments: 'arguments' in resolution ? resolution.arguments : undefined,
    grant,
    deadlines,
  });
}

/**
 * Returns an answer in one form. Only `approve: true` approves: every other value is a denial. Edited arguments are copied and
 * frozen, so that the arguments which were checked and shown are those that run.
 *
 * @throws Error for edited arguments that are no JSON object, and for an unknown way to remember
 */
export function readDecision(decision: unknown): Resolution {
  const given = (decision ?? {}) as Partial<Record<string, unknown>>;
  const { approve, reason, arguments: edited } = given;
  if (approve !== true)
    return defined({ decision: 'denied', reason: typeof reason === 'string' ? reason : undefined });
  const remembered = readRemembered(given);
  if (edited === undefined) return defined({ decision: 'approved', remembered });
  try {
    if (!isJsonObject(edited)) throw new Error('it is no JSON object');
    return defined({ decision: 'edited', arguments: deepFreeze(jsonCopy(edited)) as JsonObject, remembered });
  } catch (error) {
    throw new Error(`The arguments cannot be used: ${messageOf(error)}.`, { cause: error });
  }
}

/** An unknown word remembers nothing, and is refused: the user wanted something else. */
function readRemembered({
  remember,
  scope = 'arguments',
}: Partial<Record<string, unknown>>): Remembered | undefined {
  if (remember === undefined) return undefined;
  if (remember !== 'turn' && remember !== 'session' && remember !== 'always')
    throw new Error("An approval is remembered for 'turn', 'session' or 'always'.");
  if (scope !== 'tool' && scope !== 'arguments')
    throw new Error("The scope of an approval is 'tool' or 'arguments'.");
  return { remember, scope };
}

/** Returns the grant of an approval that is remembered, or the reasons for which it cannot be; undefined where it is not remembered. */
export function grantFor(
  { request, remember }: Pick<Question, 'request' | 'remember'>,
  resolution: Resolution,
): Grant | readonly string[] | undefined {
  if (!('remembered' in resolution) || resolution.remembered === undefined) return undefined;
  const args = resolution.decision === 'edited' ? resolution.arguments : request.call.arguments;
  return remember(resolution.remembered, args);
}

/** Whether an approval cannot be remembered. */
export function isRefused(grant: Grant | readonly string[] | undefined): grant is readonly string[] {
  return Array.isArray(grant);
}
