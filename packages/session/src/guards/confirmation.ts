import { Observable, type Subscriber } from 'rxjs';
import { messageOf } from '../errors/to-session-error.js';
import { defined } from '../json/defined.js';
import { deepFreeze, isJsonObject, type JsonObject } from '../json/json.js';
import { jsonCopy } from '../json/json-copy.js';
import type {
  ConfirmationRequest,
  ConfirmationRequested,
  ConfirmationResolved,
} from '../operations/confirmation-operations.js';
import type { Clock } from '../ports/clock.js';

/** The user's answer to a request; `arguments` are edited ones, which replace those of the model. */
export type Decision =
  | { readonly approve: true; readonly arguments?: JsonObject | undefined }
  | { readonly approve: false; readonly reason?: string | undefined };

/**
 * The outcome of `respond`, `approve` and `deny`. `accepted`: this decision settled the request. `already-settled`: the
 * request is not open, since an earlier decision, a timeout or the end of the turn settled it. With `errors`, the edited
 * arguments do not fit the tool, and the request stays open.
 */
export type RespondOutcome = 'accepted' | 'already-settled' | { readonly errors: readonly string[] };

/** The way in which a request was settled. */
export type Resolution =
  | { readonly decision: 'approved' }
  | { readonly decision: 'edited'; readonly arguments: JsonObject }
  | { readonly decision: 'denied' | 'timed-out' | 'cancelled'; readonly reason?: string };

/** A request to the user, and the functions that handle the answer. */
export interface Question {
  readonly request: Omit<ConfirmationRequest, 'expiresAt' | 'answeredBy'>;
  /** The issues of edited arguments; an empty list means that they fit. */
  validate(edited: JsonObject): readonly string[];
  /** Is called once, when the request is settled; not when the turn ends first. */
  resolved(resolution: Resolution): void;
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
    let resolution: Resolution;
    try {
      resolution = readDecision(decision);
    } catch (error) {
      return { errors: [`The arguments cannot be used: ${messageOf(error)}.`] };
    }
    if (resolution.decision === 'edited') {
      const errors = entry.question.validate(resolution.arguments);
      if (errors.length > 0) return { errors };
    }
    this.close(requestId, entry, resolution, 'user');
    return 'accepted';
  }

  private close(
    requestId: string,
    { question, subscriber, stopTimer }: OpenQuestion,
    resolution: Resolution,
    by: ConfirmationResolved['by'],
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
    question.resolved(resolution);
    subscriber.next(resolvedFact(question.request, resolution, by, deadlines));
    if (this.open.size === 0) subscriber.complete();
  }

  private startTimer(requestId: string): () => void {
    if (this.timeoutMs === Infinity) return () => {};
    return this.clock.schedule(() => {
      const entry = this.open.get(requestId);
      if (entry) this.close(requestId, entry, { decision: 'timed-out' }, 'timeout');
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
  deadlines: ConfirmationResolved['deadlines'] = {},
): ConfirmationResolved {
  return defined({
    type: 'confirmationResolved',
    requestId: id,
    callId: call.id,
    decision: resolution.decision,
    by,
    reason: 'reason' in resolution ? resolution.reason : undefined,
    arguments: 'arguments' in resolution ? resolution.arguments : undefined,
    deadlines,
  });
}

/**
 * Returns an answer in one form. Only `approve: true` approves: every other value is a denial. Edited arguments are copied and
 * frozen, so that the arguments which were checked and shown are those that run.
 *
 * @throws Error for edited arguments that are no JSON object
 */
export function readDecision(decision: unknown): Resolution {
  const { approve, reason, arguments: edited } = (decision ?? {}) as Partial<Record<string, unknown>>;
  if (approve !== true)
    return defined({ decision: 'denied', reason: typeof reason === 'string' ? reason : undefined });
  if (edited === undefined) return { decision: 'approved' };
  if (!isJsonObject(edited)) throw new Error('it is no JSON object');
  return { decision: 'edited', arguments: deepFreeze(jsonCopy(edited)) as JsonObject };
}
