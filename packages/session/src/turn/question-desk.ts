import type { UndoReport } from '../conversation/turn-record.js';
import type { PreviewOutcome, RespondOutcome } from '../guards/decision.js';

/** A question to the user that has no answer yet: about a call, or for more of a limit. */
export interface OpenQuestion {
  /**
   * Settles the question by the user's decision. When it returns, the operation with the outcome has been delivered. Absent before the
   * request was emitted, and if the option `confirm` answers.
   */
  respond?(decision: unknown): RespondOutcome;
  /** Settles the question because the mode denies its call. */
  deny?(reason: string): void;
  /** Records that a view is at the question, or is not there any more. */
  attend?(attendant: string, isThere: boolean): void;
  /** Makes the preview of the call with edited arguments. */
  previewOf?(edited: unknown): Promise<PreviewOutcome>;
  /** Called when a domain may have changed. Makes the preview of the call again if it may be different now. */
  renew?(): void;
  /** Restarts the timer, because the user has answered another question. Returns the new deadline. */
  restart?(): number | null;
}

/** The consent of a turn, for changes that come from outside the turn. */
export interface QuestionSource {
  /**
   * Called when the mode has changed. Settles the open questions about calls that the new mode denies. Resolves when these questions have
   * been decided.
   */
  modeChanged(): Promise<void>;
  /**
   * Called when the app or the user may have changed a domain.
   *
   * @param isReport whether the domain reported the change, which the session itself may have made
   */
  domainChanged(domain: string, isReport: boolean): void;
}

/** An open review, for the decisions of the user and for calls that end late. */
export interface OpenReview {
  /** Carries out a decision of the user about these calls; by default, about all open calls. Resolves when the journal has stored it. */
  decide(decision: 'accept' | 'reject', ids: readonly string[] | undefined): Promise<UndoReport>;
  /** Called when an aborted call has recorded an effect. */
  recorded(): void;
  /** Runs the end of an aborted call in the same queue as the decisions. */
  inTurn<R>(carryOut: () => Promise<R>): Promise<R>;
}

/**
 * What waits for the user in a turn that the user sent. Questions of several batches may be open at the same time, and each batch closes
 * only its own questions.
 */
export class QuestionDesk {
  /** The open questions, by request id. */
  readonly open = new Map<string, OpenQuestion>();
  /** The consents that have decided about calls. */
  readonly sources = new Set<QuestionSource>();
  /** null if no review is open. */
  review: OpenReview | null = null;

  /** Settles a question by the user's decision. */
  respond(requestId: string, decision: unknown): RespondOutcome {
    return this.open.get(requestId)?.respond?.(decision) ?? 'already-settled';
  }

  /** See {@link QuestionSource.modeChanged}. */
  async modeChanged(): Promise<void> {
    await Promise.all([...this.sources].map((source) => source.modeChanged()));
  }

  /** See {@link QuestionSource.domainChanged}. Open questions check their previews against the change. */
  domainChanged(domain: string, isReport: boolean): void {
    for (const source of this.sources) source.domainChanged(domain, isReport);
    for (const question of this.open.values()) question.renew?.();
  }
}
