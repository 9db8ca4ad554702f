import type { Observable } from 'rxjs';
import type { Input, Message } from '../conversation/message.js';
import type { SavedConversation } from '../conversation/saved-conversation.js';
import type { ToolChoice } from '../conversation/tool-choice.js';
import type { StopReason, UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { UsageReport } from '../conversation/usage-report.js';
import type { Decision, ExtensionDecision, PreviewOutcome, RespondOutcome } from '../guards/decision.js';
import type { JsonObject } from '../json/json.js';
import type { GivenTurnLimits } from '../limits/limits.js';
import type { Operation } from '../operations/operation.js';
import type { Provider } from '../provider/provider.js';
import type { Signals } from '../signals/projection.js';
import type { ReadonlySignal } from '../signals/signals-core.js';
import type { Arguments, ToolSchema } from '../tools/tool.js';
import type { Phase, SessionState } from '../state/session-state.js';
import type { Link } from './session-log.js';
import type { SessionChanges } from './session-options.js';

/** Settings for one turn. */
export interface SendOptions {
  /** Aborts the turn when it fires, as `cancel({ immediate: true })`. */
  readonly signal?: AbortSignal | undefined;
  /** Limits of this turn; those that are not given are the session's. */
  readonly limits?: GivenTurnLimits | undefined;
  /**
   * The tools that the model may call in this turn. Default `auto`. Rejects `unsupported` where the model does not accept the choice, and
   * `invalid-configuration` for a tool that is not registered. An answer that ignores it fails the turn with `tool-choice-not-honored`.
   *
   * @example
   * await session.send('Plan the day', { toolChoice: { tool: 'board.add_card' } });
   */
  readonly toolChoice?: ToolChoice | undefined;
  /**
   * Instructions for this turn alone: they follow the role in each of its requests. Kept in the record of the turn, and used again when it is
   * repeated.
   *
   * @example
   * await session.send('What is next?', { directives: ['Answer in German.'] });
   */
  readonly directives?: readonly string[] | undefined;
  /**
   * The provider of this turn. Default: that of the session, which also repeats the turn, and goes on with it after a reload, unless
   * `retry({ provider })` names another one.
   */
  readonly provider?: Provider | undefined;
  /**
   * `review`: the user decides about the effects of the turn before they are committed. They act at once; after the last round the phase is
   * `reviewing`, and `pendingReview` lists them for `accept` and `reject`. Calls whose effects cannot be taken back are asked for as ever, and
   * are not in the list; a turn without any other effect ends at once. Default: the turn commits when its rounds are over.
   *
   * @example
   * const turn = session.send('Tidy up the board', { commit: 'review' });
   */
  readonly commit?: 'review' | undefined;
}

/** Settings for one `generate`. */
export type GenerateOptions = Pick<SendOptions, 'signal' | 'limits'>;

/** Settings for a message in the queue. */
export interface EnqueueOptions {
  /** The id of the item in `queue`. Default: a new one. */
  readonly id?: string | undefined;
  /** Limits of its turn; those that are not given are the session's when the turn starts. */
  readonly limits?: GivenTurnLimits | undefined;
  /** As in {@link SendOptions}. */
  readonly toolChoice?: ToolChoice | undefined;
  /** As in {@link SendOptions}. */
  readonly directives?: readonly string[] | undefined;
  /** As in {@link SendOptions}. */
  readonly commit?: 'review' | undefined;
}

/** The changes of `requeue`. */
export interface QueueChange {
  /** The new message. Default: it stays as it is. */
  readonly input?: Input | undefined;
  /** The id of the item that is to follow; null for the end of the queue. Default: the item stays in its place. */
  readonly before?: string | null | undefined;
}

/** The result of a turn that completed or stopped. */
export interface TurnResult {
  /** `stopped`: the turn ended before the model's final answer, and its effects were committed; `stop` holds the reason. */
  readonly status: 'completed' | 'stopped';
  /** The text of the whole turn. */
  readonly text: string;
  /** The messages that the turn appended to the conversation, the user message included. */
  readonly messages: readonly Message[];
  /** Usage of the whole turn; null where the provider reported none. */
  readonly usage: UsageReport | null;
  /** Rounds that were started. */
  readonly rounds: number;
  /** Present with the status `stopped`. */
  readonly stop?: StopReason;
}

/** Options of `cancel`. */
export interface CancelOptions {
  /** Cuts running tools and the app's confirmation handler too. A second `cancel()` does the same. Default false. */
  readonly immediate?: boolean | undefined;
  /** `keep` commits the effects of the turn instead of rolling them back. Default `rollback`. */
  readonly sideEffects?: 'rollback' | 'keep' | undefined;
}

/** The result of a cancel: the phase in which it arrived, and the end of the turn. */
export interface CancelReport {
  /** The phase in which the cancel arrived; `idle` when there was nothing to cancel. */
  readonly landed: Phase;
  /** False when no turn was running, or its end had begun: the cancel had no effect then. */
  readonly cancelled: boolean;
  /** Calls that succeeded before the turn ended. */
  readonly completed: readonly UndoItem[];
  /** Calls that never ran. */
  readonly skipped: readonly UndoItem[];
  /** The report of the rollback. When the effects were kept, all its lists but `unknown` are empty. */
  readonly undo: UndoReport;
}

/** Options of `dispose`. */
export interface DisposeOptions {
  /** `leave`: a running turn is left as it is. Default: it is aborted and rolled back. */
  readonly turn?: 'leave' | undefined;
}

/** Options of `undo` and `redo`. */
export interface UndoOptions {
  /**
   * Also when the user changed a domain of the turn since. Default false. A turn in the way is a `conflict` also with it. `undo` passes over a
   * turn whose effects an undo has found absent, as long as there is another one.
   */
  readonly force?: boolean | undefined;
  /** The turn. Default: for `undo` the newest that can be undone, for `redo` the one that was undone last. */
  readonly turnId?: string | undefined;
}

/** Options of a command that starts a turn beside another one. */
export interface LeaveOptions {
  /** `keep`: the effects of the turns that leave the conversation stay in the app. Default `undo`: they are taken back first. */
  readonly effects?: 'undo' | 'keep' | undefined;
  /**
   * Also where effects cannot be taken back, and where the user changed a domain since: what cannot be taken back stays, and the model reads
   * a note about it. Default false: rejects `conflict`.
   */
  readonly force?: boolean | undefined;
}

/** Options of `regenerate`. */
export interface RegenerateOptions extends LeaveOptions {
  /** The turn, on the path or off it. Default: the last one of the path. */
  readonly turnId?: string | undefined;
}

/** Options of `switchTo`. */
export interface SwitchOptions {
  /**
   * `follow`: the app shows the effects of the new path: those of all other turns are taken back, those that a branch command took back on
   * it are made again. Default `keep`: every effect stays as it is.
   */
  readonly effects?: 'keep' | 'follow' | undefined;
  /** As in {@link LeaveOptions}; effects that cannot be made again stay away. Default false. */
  readonly force?: boolean | undefined;
}

/**
 * One conversation between a user and an agent that acts on the app. The app creates it outside of its components, since it
 * outlives them: views attach and detach. Every method can be taken off the session and called by itself.
 */
export interface AgentSession extends Signals, AsyncDisposable {
  /**
   * The current state, a snapshot that no later operation changes, read-only by its type. The signals hold the same fields; deltas are
   * published to them at most once a frame.
   */
  readonly state: SessionState;
  /** All operations, in order, from the subscription on. Hot, never errors, completes when the session is disposed. */
  readonly operations$: Observable<Operation>;
  /**
   * The connection to the log. `open` is false until the log is read. `role` is `writer` while this session carries out its commands;
   * `follower` while another session that has the log does; `read-only` while none can. `saved` is false while operations are not written;
   * a view shows it then. Not part of the state. A session without a log or a journal is an open writer.
   *
   * @example
   * effect(() => { banner.hidden = session.link.value.saved; });
   */
  readonly link: ReadonlySignal<Link>;
  /**
   * Runs one turn. Resolves when it completed or stopped, rejects with an `AgentSessionError` when it failed or was cancelled: for
   * example `already-running` while another turn, an undo or a redo runs, or `invalid-input`. Never throws at once. The promise
   * may be ignored: the signal `lastOutcome` holds the end of each turn.
   *
   * @example
   * const { text } = await session.send('Add a card "Plan" to Todo');
   */
  send(input: Input, options?: SendOptions): Promise<TurnResult>;
  /**
   * Repeats the last turn, if it failed or was cancelled: its user message is sent again with the same options, also after a reload.
   * The new turn takes its place in `turns` and `conversation`; the failed one is kept beside it, and saved. Rejects
   * `nothing-to-retry` otherwise.
   */
  retry(options?: SendOptions): Promise<TurnResult>;
  /**
   * Starts a turn with the same user message and the same options beside a turn, and first takes back the effects of the turns that leave the
   * conversation, newest first. Nothing is deleted: `switchTo` goes back.
   *
   * A command that rejects has not moved the head. Rejects `conflict` before anything runs, with the list `details.obstacles` of
   * `BranchObstacle`; `undo-failed` when an effect could not be taken back on the way, `cancelled` after a `cancel()` on the way: then
   * the effects that were taken back are made again, and `details.failed` and `details.notRestored` list those that are not as they were.
   * Also `already-running`, `invalid-input` for an unknown turn, `nothing-to-retry` when there is no turn; and as `send`.
   *
   * @example
   * const { text } = await session.regenerate();
   */
  regenerate(options?: RegenerateOptions): Promise<TurnResult>;
  /**
   * Starts a turn with another user message beside a turn, as {@link AgentSession.regenerate} does with the same one.
   *
   * @param turnId the turn whose message the user changed, on the path or off it
   * @example
   * await session.edit(turn.id, 'Add a card "Plan B" to Todo');
   */
  edit(turnId: string, input: Input, options?: LeaveOptions): Promise<TurnResult>;
  /**
   * Makes another path the conversation: that to the turn which was started last in the branch of this turn, up to a `clear`. Resolves with the report of the
   * effects that were moved, which is empty unless `effects` is `follow`. Rejects as `regenerate`.
   *
   * @example
   * // A turn without another one beside it is not in `branches`. Positions begin with 1.
   * const { ids = [], position = 0 } = session.branches.value[turn.id] ?? {};
   * const next = ids[position];
   * if (next !== undefined) await session.switchTo(next, { effects: 'follow' });
   */
  switchTo(turnId: string, options?: SwitchOptions): Promise<UndoReport>;
  /**
   * Empties the conversation: the next turn begins a new one, which the model reads without what was before. Nothing is deleted: `switchTo` goes
   * back to any turn. Effects stay as they are, and can be undone; the model reads a note about them. Does nothing on an empty conversation, and
   * abandons an interrupted turn first. Rejects `already-running`.
   *
   * @example
   * await session.clear();
   */
  clear(): Promise<void>;
  /**
   * Makes requests shorter: results of tools are left out, calls stand as lines, the oldest messages as a summary that the model writes, up to
   * half of the size. Where the model writes none, the shorter messages stand, and `failure` of the mark has the reason. `conversation` and
   * `turns` stay whole, `compactions` has the mark. Does nothing where nothing can be saved, and abandons an interrupted turn first. Rejects
   * `already-running`; `cancelled` after a cancel while the model writes.
   *
   * @example
   * if ((session.contextPressure.value ?? 0) > 0.6) await session.compact();
   */
  compact(): Promise<void>;
  /**
   * Takes a compaction back: requests have again what it left out. A conversation that fills the window is compacted again before the next
   * request, where the option `compaction` is set. Abandons an interrupted turn first. Rejects `invalid-input` for a mark that is not in
   * `compactions`, and `already-running`.
   *
   * @example
   * const mark = session.compactions.value.at(-1);
   * if (mark) await session.uncompact(mark.id);
   */
  uncompact(id: string): Promise<void>;
  /**
   * Ends the running turn; resolves when it has ended. By default running tools finish, then the effects of the turn are rolled back.
   * A second call aborts. A branch command that takes effects back ends without a turn, and makes them again.
   */
  cancel(options?: CancelOptions): Promise<CancelReport>;
  /**
   * Settles a confirmation, or an extension request; `approve()` and `deny()` of the one call this, `extend()` and `end()` of the other. When the call returns, the operation was delivered
   * and the state has changed. Never throws at once; the promise may be ignored.
   *
   * @param requestId the `id` of a request in `pendingConfirmations`, or of `pendingExtension`
   * @returns the outcome of the decision; rejects only when the check of edited arguments throws
   * @example
   * const outcome = await session.respond(request.id, { approve: false, reason: 'Not today.' });
   * if (outcome === 'already-settled') console.log('Too late.');
   */
  respond(requestId: string, decision: Decision | ExtensionDecision): Promise<RespondOutcome>;
  /**
   * Says that the user is at a question: its deadline stands still until the returned function is called, at most 10 minutes a question, however
   * many views say so. `expiresAt` has the deadline that this leads to, and `attended` is there meanwhile. Nothing happens where the question is not
   * open, has no deadline, or is a request for more of a limit. Never throws.
   *
   * @param requestId the `id` of a request in `pendingConfirmations`
   * @returns ends it; every call but the first does nothing
   * @example
   * dialog.addEventListener('focusin', () => (release ??= session.attend(request.id)));
   */
  attend(requestId: string): () => void;
  /**
   * Returns the preview of a call with edited arguments, and the digest for the approval of them. The question stays as it is.
   *
   * @param requestId the `id` of a request in `pendingConfirmations` with a `preview`
   * @returns the preview, which may have failed; `already-settled` where the question is not open; `errors` where the arguments do not fit
   *   the parameters as JSON Schema, the tool has no preview, or the turn was interrupted. Where only the schema library refuses them, the
   *   preview has failed
   * @example
   * const edited = { ...request.call.arguments, title: 'Plan B' };
   * const outcome = await session.previewOf(request.id, edited);
   * if (outcome !== 'already-settled' && 'digest' in outcome)
   *   await request.approve({ arguments: edited, digest: outcome.digest });
   */
  previewOf(requestId: string, edited: JsonObject): Promise<PreviewOutcome>;
  /**
   * Runs a turn when those before it have ended: the message stands in `queue` until then. On an idle session with an empty queue it is
   * sent at once. The next message starts one macrotask after the promise of a completed or stopped turn has settled; after a cancel, a
   * failure, a move of the head or a change of the owner of the log the queue waits for `resumeQueue()`.
   *
   * @returns the status of its turn, or `cancelled` when `dequeue` removed it. Rejects as `send` does; `invalid-input` also for an `id`
   *   that is in the queue; `storage` where it could not be saved, and then it is not in the queue
   *
   * @example
   * void session.enqueue('And then move it to Done');
   */
  enqueue(input: Input, options?: EnqueueOptions): Promise<TurnResult['status'] | 'cancelled'>;
  /**
   * Changes a message in the queue, or moves it. Messages that steer stay before all others: a move beyond them ends there.
   *
   * @param id of the item in `queue`
   * @returns false, and changes nothing, when this item or the one that is to follow is not in the queue: its turn may have started.
   *   Rejects as `enqueue` for its input
   */
  requeue(id: string, change: QueueChange): Promise<boolean>;
  /** Removes a message from the queue. Resolves with false when it is not there: its turn may have started, or it may have joined one. */
  dequeue(id: string): Promise<boolean>;
  /** Lets a queue that was paused go on. Does nothing on one that was not. */
  resumeQueue(): Promise<void>;
  /**
   * Adds a message to the running turn: the model reads it with its next request, after the results of the calls of this round. Until
   * then it stands first in `queue`, and `dequeue` removes it. A final answer is followed by one more round, as far as the limits of the
   * turn permit one. While no turn runs, the message becomes the first of the queue.
   *
   * @returns `joined` when it is a part of the turn; `queued` when the turn ended before that, and it became the first of the queue;
   *   `cancelled` when `dequeue` removed it. Rejects as `enqueue`
   *
   * @example
   * if ((await session.steer('Use the column Done instead')) === 'queued') note.textContent = 'It comes next.';
   */
  steer(input: Input): Promise<'joined' | 'queued' | 'cancelled'>;
  /** Returns all turns with their messages as versioned JSON, for the option `conversation` of a session. */
  save(): SavedConversation;
  /**
   * Takes back the effects of the newest committed turn that has any; with `turnId` those of this turn alone, where no later turn in force
   * touched the same parts of the app: the same `paths`, or without them the same domain. Resolves with the report also when some effects
   * failed.
   *
   * Rejects `nothing-to-undo`, `already-running`, or `conflict`: when the user changed one of its domains since (`details.domains`), or when
   * other turns are in the way (`details.inTheWay` has their ids, in the order in which to undo them).
   *
   * @example
   * await session.undo({ turnId: turn.id });
   */
  undo(options?: UndoOptions): Promise<UndoReport>;
  /**
   * Makes the effects of the turn again that was undone last, or those of the turn with this id. Rejects as `undo`; in the way are here the
   * turns that have to be made again first.
   */
  redo(options?: UndoOptions): Promise<UndoReport>;
  /**
   * Accepts effects under review: they stay when the turn ends. The turn commits when none is open; then the promise resolves after its end. One
   * that is not open is left alone. The review of an interrupted turn is opened again.
   *
   * @param ids of the calls, `toolCallId` in `pendingReview`. Default: all that are open
   * @returns the report of the effects that were taken back, which is empty unless one was gone already. Rejects `storage` where the decision
   *   cannot be saved, and as `send` where the commit fails
   *
   * @example
   * await session.accept();
   */
  accept(ids?: readonly string[]): Promise<UndoReport>;
  /**
   * Takes effects under review back, with those that depend on them, the newest first; the model reads that with its next request. An effect stays
   * open where a change of the user is in its way, or where one that depends on it stays: `conflict` has the reason. Everything else as `accept`.
   *
   * @returns the report: `done` lists every effect that was taken back, `failed` and `lost` those that stay open
   * @example
   * const [first] = session.pendingReview.value?.effects ?? [];
   * if (first) await session.reject([first.toolCallId]);
   */
  reject(ids?: readonly string[]): Promise<UndoReport>;
  /**
   * Puts one of the option `modes` in force, also while a turn runs. A question that is open is denied where a guard of the mode denies its call,
   * and so is a call that was decided and has not started; a call that the mode would ask about is not asked about again.
   *
   * @returns resolves when open questions were decided. Rejects `invalid-input` for an unknown mode
   * @example
   * await session.setMode('plan');
   */
  setMode(id: string): Promise<void>;
  /**
   * Ends a grant: the calls that it allows, and that have not started, are asked about.
   *
   * @param grantId of the list `grants`. Rejects `invalid-input` for another one, `storage` where the store does not remove it
   * @example
   * for (const { id } of session.grants.value) await session.revoke(id);
   */
  revoke(grantId: string): Promise<void>;
  /**
   * Goes on with the turn, the undo or the redo that the last owner of the log did not end; see the signal `interrupted`. Resolves as
   * `send`, or with the report of the effects that were taken back. A tool call that may have acted follows the option `replay` of its
   * tool. Rejects `nothing-to-resume`.
   *
   * @example
   * if (session.interrupted.value !== null) await session.resume();
   */
  resume(): Promise<TurnResult | UndoReport>;
  /**
   * Takes back the effects of an interrupted turn, as far as this session can: the turn is `failed` with `interrupted`. A commit, an
   * undo or a redo that had begun is finished instead. Resolves with the report. Rejects `nothing-to-resume`.
   */
  abandon(): Promise<UndoReport>;
  /**
   * Ends the session: aborts and rolls back a running turn. Every later command rejects, or throws, `disposed`.
   *
   * @param options `turn: 'leave'` leaves a running turn as it is, for the next session that opens the log: its promise rejects
   *   `disposed`, and nothing is reverted
   */
  dispose(options?: DisposeOptions): Promise<void>;
}

/** A session as the app that owns it has it. Views need {@link AgentSession} only. */
export interface LocalAgentSession extends AgentSession {
  /**
   * Returns a turn as a stream of its operations. Subscribing starts it, once; unsubscribing aborts it. The stream errors only where
   * `send` would reject before the turn starts; otherwise its last operation is a terminal one, after which it completes.
   *
   * @example
   * session.turn$('Add a card').subscribe((operation) => console.log(operation.type));
   */
  turn$(input: Input, options?: SendOptions): Observable<Operation>;
  /**
   * Asks the model for JSON that fits a schema, and resolves with it, checked. The prompt and the answer join the conversation as a turn. While the
   * answer arrives, `partialOutput` has it as far as it can be parsed; `currentText` stays empty. The model may call no tool.
   *
   * Rejects `structured-output-invalid` for an answer that does not fit, after it was asked for once more, and for one that was cut or refused:
   * `details.reason` says which. Then conversation and head are as before. Rejects `invalid-configuration` for a schema whose root is no object,
   * or cannot be expressed as JSON Schema; `unsupported` where the model has no way to do it; and as `send`.
   *
   * @param schema a JSON Schema, or a schema of a library with Standard JSON Schema: then with its transformations
   * @example
   * const { title } = await session.generate('Name this board.', {
   *   type: 'object', properties: { title: { type: 'string' } }, required: ['title'],
   * });
   */
  generate<const S extends ToolSchema>(
    prompt: Input,
    schema: S,
    options?: GenerateOptions,
  ): Promise<Arguments<S>>;
  /**
   * Changes settings from the next turn on. One that is undefined stays as it is; {@link SessionChanges} has the values that remove one. A tool
   * that is removed is not offered any more, and its effects can still be taken back in this page. Throws `invalid-configuration`, and then changes none.
   */
  configure(changes: SessionChanges): void;
  /**
   * Tells the session that the app or the user changed a domain: turns with effects in it can no longer be redone. For domains without
   * `subscribe` and without `revision`, for which `redo` cannot notice it; a domain with one of them needs no call. Does nothing where no turn
   * of the domain is undone.
   *
   * @param domain the id of the domain
   * @example
   * board.on('edit', () => session.touch('board'));
   */
  touch(domain: string): void;
}
