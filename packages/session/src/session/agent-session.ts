import type { Observable } from 'rxjs';
import type { Input, Message } from '../conversation/message.js';
import type { SavedConversation } from '../conversation/saved-conversation.js';
import type { StopReason, UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { UsageReport } from '../conversation/usage-report.js';
import type { Decision, RespondOutcome } from '../guards/confirmation.js';
import type { GivenLimits } from '../limits/limits.js';
import type { Operation } from '../operations/operation.js';
import type { Signals } from '../signals/projection.js';
import type { Phase, SessionState } from '../state/session-state.js';
import type { SessionChanges } from './session-options.js';

/** Settings for one turn. */
export interface SendOptions {
  /** Aborts the turn when it fires: the hard level of `cancel`. */
  readonly signal?: AbortSignal | undefined;
  /** Over the session's limits, for this turn. */
  readonly limits?: GivenLimits | undefined;
}

/** What `send` resolves to. */
export interface TurnResult {
  /** `stopped`: the turn ended before the model was done, and keeps what it did; `stop` says why. */
  readonly status: 'completed' | 'stopped';
  /** The text of the whole turn. */
  readonly text: string;
  /** What the turn appended to the conversation. */
  readonly messages: readonly Message[];
  readonly usage: UsageReport | null;
  readonly rounds: number;
  readonly stop?: StopReason;
}

export interface CancelOptions {
  /** Cuts running tools and the app's confirmation handler too. A second `cancel()` does the same. Default false. */
  readonly immediate?: boolean | undefined;
  /** `keep` commits what was done instead of rolling it back. Default `rollback`. */
  readonly sideEffects?: 'rollback' | 'keep' | undefined;
}

/** Where a cancel landed, and what became of the turn. */
export interface CancelReport {
  /** The phase in which the cancel arrived; `idle` when there was nothing to cancel. */
  readonly landed: Phase;
  /** False when it came too late, or when nothing was running: then it changed nothing. */
  readonly cancelled: boolean;
  /** Calls that did their work before the turn ended. */
  readonly completed: readonly UndoItem[];
  /** Calls that never ran. */
  readonly skipped: readonly UndoItem[];
  /** The lists of the rollback. When the effects were kept, all but `unknown` are empty. */
  readonly undo: UndoReport;
}

export interface UndoOptions {
  /** Goes on although the user changed the domain since. Default false. */
  readonly force?: boolean | undefined;
  /** Undoes only if this turn is the newest that can be undone. Default: that turn, whichever it is. */
  readonly turnId?: string | undefined;
}

/**
 * One conversation between a user and an agent that acts on the app. Owned by the app, never by a component: views
 * attach and detach. Every method can be taken off the session and called by itself.
 */
export interface AgentSession extends Signals, AsyncDisposable {
  /** The current state, an immutable snapshot. The signals are the same, field by field, published at most once a frame. */
  readonly state: SessionState;
  /** Everything that happens, as it happens. Hot, never errors, completes when the session is disposed. */
  readonly operations$: Observable<Operation>;
  /**
   * One turn. Resolves when it completed or stopped, rejects with an `AgentSessionError` when it failed or was
   * cancelled. Never throws at once. The promise may be ignored: `lastOutcome` tells the same.
   *
   * @example
   * const { text } = await session.send('Add a card "Plan" to Todo');
   */
  send(input: Input, options?: SendOptions): Promise<TurnResult>;
  /**
   * The same turn as a stream of its operations. Subscribing starts it, once; unsubscribing aborts it. Errors only where
   * `send` would refuse; otherwise it ends with a terminal operation and completes.
   */
  turn$(input: Input, options?: SendOptions): Observable<Operation>;
  /** Sends the user message of the last failed or cancelled turn again, in its place. `nothing-to-retry` otherwise. */
  retry(options?: SendOptions): Promise<TurnResult>;
  /** Ends the running turn; resolves when it has ended. See the cancel table in the documentation. */
  cancel(options?: CancelOptions): Promise<CancelReport>;
  /**
   * Settles a confirmation; `approve()` and `deny()` of a confirmation call this. In the page of the session the
   * operation is out, and the state says so, when the call returns. Never throws at once; the promise may be ignored.
   *
   * @param requestId the `id` of a request in `pendingConfirmations`
   * @returns what became of the decision; rejects only when the check of edited arguments throws
   * @example
   * const outcome = await session.respond(request.id, { approve: false, reason: 'Not today.' });
   * if (outcome === 'already-settled') console.log('Too late.');
   */
  respond(requestId: string, decision: Decision): Promise<RespondOutcome>;
  /** Changes settings, for the next turn. Throws `invalid-configuration`. */
  configure(changes: SessionChanges): void;
  /** The conversation and its turns as versioned JSON. */
  save(): SavedConversation;
  /**
   * Takes the newest committed turn back that changed something. Rejects `nothing-to-undo`, or `conflict` when the user
   * changed one of its domains since, or when `turnId` names a turn below a newer one (`details.newest` is its id).
   *
   * @example
   * await session.undo({ turnId: turn.id });
   */
  undo(options?: UndoOptions): Promise<UndoReport>;
  /** Does the turn again that was undone last. Rejects as `undo` does. */
  redo(options?: Pick<UndoOptions, 'force'>): Promise<UndoReport>;
  /** Ends the session: aborts and rolls back a running turn. Afterwards every command rejects `disposed`. */
  dispose(): Promise<void>;
}
