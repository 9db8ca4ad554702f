import type { Input, JsonObject, Message, Provider, ToolChoice, UsageReport } from '@banister/provider';
import type { Observable } from 'rxjs';
import type { SavedConversation } from '../conversation/saved-conversation.js';
import type { MessageSource, StopReason, UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { Decision, ExtensionDecision, PreviewOutcome, RespondOutcome } from '../guards/decision.js';
import type { GivenTurnLimits } from '../limits/limits.js';
import type { Operation } from '../operations/operation.js';
import type { Signals } from '../signals/projection.js';
import type { ReadonlySignal } from '../signals/signals-core.js';
import type { Arguments, ToolSchema } from '../tools/tool.js';
import type { Phase, SessionState } from '../state/session-state.js';
import type { Link } from '../log/session-log.js';
import type { SessionChanges } from './session-options.js';

/** Settings for one turn. */
export interface SendOptions {
  /** Aborts the turn when it fires, as `cancel({ immediate: true })` does. */
  readonly signal?: AbortSignal | undefined;
  /** Limits of this turn. A limit that is not given is the session's. */
  readonly limits?: GivenTurnLimits | undefined;
  /**
   * The tools that the model may call in this turn. Default `auto`. The turn rejects `unsupported` if the model does not accept the choice,
   * and `invalid-configuration` for a tool that is not registered. If an answer ignores the choice, the turn fails with
   * `tool-choice-not-honored`.
   *
   * @example
   * await session.send('Plan the day', { toolChoice: { tool: 'board.add_card' } });
   */
  readonly toolChoice?: ToolChoice | undefined;
  /**
   * Instructions for this turn only. They follow the role in each request of the turn. They are kept in the record of the turn, and used
   * again when the turn is repeated.
   *
   * @example
   * await session.send('What is next?', { directives: ['Answer in German.'] });
   */
  readonly directives?: readonly string[] | undefined;
  /**
   * Ids of domains that are active from this turn on, such as a skill that the user chose: staged discovery activates them before the first
   * request. They are kept in the record of the turn. The turn rejects `invalid-configuration` for an unknown domain. Default: none.
   *
   * @example
   * await session.send('Write the notes of version 2', { use: ['release-notes'] });
   */
  readonly use?: readonly string[] | undefined;
  /**
   * The provider of this turn. Default: the provider of the session. A retry of the turn, and `resume` after a reload, use the provider of
   * the session too, unless `retry({ provider })` names another one.
   */
  readonly provider?: Provider | undefined;
  /**
   * `review`: the user decides about the effects of the turn before they are committed. The effects act at once. After the last round the
   * phase is `reviewing`, and `pendingReview` lists the effects for `accept` and `reject`. Calls with effects that cannot be taken back ask
   * for a confirmation as usual, and are not in the list. A turn without any other effect ends at once. Default: the turn commits after its
   * last round.
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
  /**
   * The id of the item in `queue`. Default: a new one. An id that is given counts once in a log: a later call with it puts no second message
   * into the queue, and settles as the first call, also after the message has left the queue, after a reload, and in another tab. If the
   * turn of the message could not start, the id may be given again.
   */
  readonly id?: string | undefined;
  /**
   * Where the message comes from, for the item and for the record of its turn; also for a repetition of the turn with the same message.
   * Default: the user wrote it.
   */
  readonly from?: MessageSource | undefined;
  /** Limits of its turn. A limit that is not given is the session's when the turn starts. */
  readonly limits?: GivenTurnLimits | undefined;
  /** As in {@link SendOptions}. */
  readonly toolChoice?: ToolChoice | undefined;
  /** As in {@link SendOptions}. */
  readonly directives?: readonly string[] | undefined;
  /** As in {@link SendOptions}. */
  readonly use?: readonly string[] | undefined;
  /** As in {@link SendOptions}. */
  readonly commit?: 'review' | undefined;
}

/** The changes of `requeue`. */
export interface QueueChange {
  /** The new message. Default: it stays as it is. */
  readonly input?: Input | undefined;
  /** The id of the item before which this item is placed; null for the end of the queue. Default: the item stays in its place. */
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
  /** Usage of the whole turn; null if the provider reported none. */
  readonly usage: UsageReport | null;
  /** The number of rounds that were started. */
  readonly rounds: number;
  /** Present with the status `stopped`. */
  readonly stop?: StopReason;
}

/** Options of `cancel`. */
export interface CancelOptions {
  /** Also aborts running tools and the app's confirmation handler. A second `cancel()` does the same. Default false. */
  readonly immediate?: boolean | undefined;
  /** `keep` commits the effects of the turn instead of rolling them back. Default `rollback`. */
  readonly sideEffects?: 'rollback' | 'keep' | undefined;
  /**
   * The id of a child turn: only this child turn is cancelled, with its own child turns. It takes its effects back, unless an effect of
   * another agent depends on them. The turn and its other child turns go on. Default: the turn is cancelled.
   */
  readonly child?: string | undefined;
}

/** Options of `steer`. */
export interface SteerOptions {
  /** The id of a child turn: the message joins this child turn, whose agent reads it. Default: the turn that the user sent. */
  readonly child?: string | undefined;
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
  /** `leave`: a running turn is neither aborted nor rolled back. Default: a running turn is aborted and rolled back. */
  readonly turn?: 'leave' | undefined;
}

/** Options of `undo` and `redo`. */
export interface UndoOptions {
  /**
   * Moves the effects even if the user has changed a domain of the turn since. Default false. If another turn is in the way, the command
   * rejects `conflict` even with `force`. With `force`, `undo` skips a turn whose effects an earlier undo found missing, if there is
   * another turn to undo.
   */
  readonly force?: boolean | undefined;
  /** The turn. Default: for `undo` the newest turn that can be undone, for `redo` the turn that was undone last. */
  readonly turnId?: string | undefined;
  /**
   * The id of a child turn of the turn `turnId`, which has to be given too: moves only its effects, and the effects of the child turns
   * inside it. Default: all effects of the turn.
   */
  readonly child?: string | undefined;
}

/** Options of a command that starts a sibling of another turn. */
export interface LeaveOptions {
  /** `keep`: the effects of the turns that leave the conversation stay in the app. Default `undo`: they are taken back first. */
  readonly effects?: 'undo' | 'keep' | undefined;
  /**
   * Starts the turn even if some effects cannot be taken back, or the user has changed a domain since. Effects that cannot be taken back
   * stay, and the model reads a note about them. Default false: the command rejects `conflict`.
   */
  readonly force?: boolean | undefined;
}

/** Options of `regenerate`. */
export interface RegenerateOptions extends LeaveOptions {
  /** The turn, on the current path or off it. Default: the last turn of the path. */
  readonly turnId?: string | undefined;
}

/** Options of `switchTo`. */
export interface SwitchOptions {
  /**
   * `follow`: the app shows the effects of the new path. The effects of all other turns are taken back, and the effects on the path that a
   * branch command took back are made again. Default `keep`: every effect stays as it is.
   */
  readonly effects?: 'keep' | 'follow' | undefined;
  /** As in {@link LeaveOptions}. Effects that cannot be made again stay absent. Default false. */
  readonly force?: boolean | undefined;
}

/**
 * One conversation between a user and an agent that acts on the app. The app creates the session outside of its components, because the
 * session lives longer than they do: views attach and detach. Every method can be detached from the session and called alone.
 */
export interface AgentSession extends Signals, AsyncDisposable {
  /**
   * The current state: a snapshot that no later operation changes, read-only by its type. The signals hold the same fields; deltas are
   * published to them at most once a frame.
   */
  readonly state: SessionState;
  /** All operations after the subscription, in order. Hot, never errors, completes when the session is disposed. */
  readonly operations$: Observable<Operation>;
  /**
   * The connection to the log. `open` is false until the log is read. `role` is `writer` while this session carries out its commands,
   * `follower` while another session with the same log does, and `read-only` while no session can. `saved` is false while operations are
   * not written; a view shows it then. `link` is not part of the state. A session without a log or a journal is always an open writer.
   *
   * @example
   * effect(() => { banner.hidden = session.link.value.saved; });
   */
  readonly link: ReadonlySignal<Link>;
  /**
   * Runs one turn. Resolves when the turn completed or stopped. Rejects with an `AgentSessionError` when it failed or was cancelled: for
   * example `already-running` while another turn, an undo or a redo runs, `interrupted` while a turn waits for its model, or `invalid-input`.
   * Never throws synchronously. The promise may be ignored: the signal `lastOutcome` holds the end of each turn.
   *
   * @example
   * const { text } = await session.send('Add a card "Plan" to Todo');
   */
  send(input: Input, options?: SendOptions): Promise<TurnResult>;
  /**
   * Repeats the last turn, if it failed or was cancelled. Its user message is sent again with the same options, also after a reload. The
   * new turn takes its place in `turns` and `conversation`; the failed turn is kept as a sibling, and saved. Rejects `nothing-to-retry` if
   * the last turn neither failed nor was cancelled.
   */
  retry(options?: SendOptions): Promise<TurnResult>;
  /**
   * Starts a sibling of a turn with the same user message and the same options. First takes back the effects of the turns that leave the
   * conversation, newest first. Nothing is deleted: `switchTo` goes back.
   *
   * A command that rejects has not moved the head. Rejects `conflict` before anything runs, with the list `details.obstacles` of
   * `BranchObstacle`. Rejects `undo-failed` if an effect could not be taken back, and `cancelled` if `cancel()` was called meanwhile: then
   * the effects that were taken back are made again, and `details.failed` and `details.notRestored` list the effects that are not as they
   * were. Also rejects `already-running`, `invalid-input` for an unknown turn, `nothing-to-retry` if there is no turn, and as `send` does.
   *
   * @example
   * const { text } = await session.regenerate();
   */
  regenerate(options?: RegenerateOptions): Promise<TurnResult>;
  /**
   * Starts a sibling of a turn with another user message, in the same way as {@link AgentSession.regenerate}.
   *
   * @param turnId the turn whose message the user changed, on the path or off it
   * @example
   * await session.edit(turn.id, 'Add a card "Plan B" to Todo');
   */
  edit(turnId: string, input: Input, options?: LeaveOptions): Promise<TurnResult>;
  /**
   * Makes another path the conversation: the path to the turn that was started last in the branch of the given turn, up to a `clear`.
   * Resolves with the report of the effects that were moved, which is empty unless `effects` is `follow`. Rejects as `regenerate` does.
   *
   * @example
   * // `branches` has only turns with siblings. Positions begin with 1.
   * const { ids = [], position = 0 } = session.branches.value[turn.id] ?? {};
   * const next = ids[position];
   * if (next !== undefined) await session.switchTo(next, { effects: 'follow' });
   */
  switchTo(turnId: string, options?: SwitchOptions): Promise<UndoReport>;
  /**
   * Empties the conversation. The next turn begins a new conversation, in which the model does not read the earlier messages. Nothing is
   * deleted: `switchTo` goes back to any turn. Effects stay as they are, and can be undone; the model reads a note about them. On an empty
   * conversation, does nothing. Abandons an interrupted turn first. Rejects `already-running`.
   *
   * @example
   * await session.clear();
   */
  clear(): Promise<void>;
  /**
   * Makes requests shorter, up to half of their size: leaves out results of tools, writes calls as lines, and replaces the oldest messages
   * with a summary that the model writes. If the model writes no summary, the other reductions stay, and `failure` of the mark has the
   * reason. `conversation` and `turns` stay whole, and `compactions` has the mark. Does nothing if nothing can be saved. Abandons an
   * interrupted turn first. Rejects `already-running`, and `cancelled` after a cancel while the model writes.
   *
   * @example
   * if ((session.contextPressure.value ?? 0) > 0.6) await session.compact();
   */
  compact(): Promise<void>;
  /**
   * Takes a compaction back: requests have again what the compaction left out. With the option `compaction`, a conversation that fills the
   * window is compacted again before the next request. Abandons an interrupted turn first. Rejects `invalid-input` for a mark that is not
   * in `compactions`, and `already-running`.
   *
   * @example
   * const mark = session.compactions.value.at(-1);
   * if (mark) await session.uncompact(mark.id);
   */
  uncompact(id: string): Promise<void>;
  /**
   * Ends the running turn; resolves when it has ended. By default running tools finish, then the effects of the turn are rolled back. A
   * second call aborts the tools. A branch command that is taking effects back ends without starting a turn, and makes these effects again.
   */
  cancel(options?: CancelOptions): Promise<CancelReport>;
  /**
   * Settles a confirmation or an extension request. `approve()` and `deny()` of a confirmation call this method, and so do `extend()` and
   * `end()` of an extension request. When the call returns, the operation was delivered and the state has changed. Never throws
   * synchronously; the promise may be ignored.
   *
   * @param requestId the `id` of a request in `pendingConfirmations`, or of `pendingExtension`
   * @returns the outcome of the decision; rejects only when the check of edited arguments throws
   * @example
   * const outcome = await session.respond(request.id, { approve: false, reason: 'Not today.' });
   * if (outcome === 'already-settled') console.log('Too late.');
   */
  respond(requestId: string, decision: Decision | ExtensionDecision): Promise<RespondOutcome>;
  /**
   * Says that the user is looking at a question. The deadline of the question stands still until the returned function is called, at most
   * 10 minutes a question, however many views call this method. Meanwhile `expiresAt` has the resulting deadline, and `attended` is
   * present. Does nothing if the question is not open, has no deadline, or is an extension request. Never throws.
   *
   * @param requestId the `id` of a request in `pendingConfirmations`
   * @returns the function that lets the deadline run again; every call but the first does nothing
   * @example
   * dialog.addEventListener('focusin', () => (release ??= session.attend(request.id)));
   */
  attend(requestId: string): () => void;
  /**
   * Returns the preview of a call with edited arguments, and the digest that approves them. The question stays as it is.
   *
   * @param requestId the `id` of a request in `pendingConfirmations` with a `preview`
   * @returns the preview, which may have failed; `already-settled` if the question is not open; `errors` if the arguments do not fit the
   *   parameters as JSON Schema, the tool has no preview, or the turn was interrupted. If only the schema library refuses the arguments,
   *   the preview has failed
   * @example
   * const edited = { ...request.call.arguments, title: 'Plan B' };
   * const outcome = await session.previewOf(request.id, edited);
   * if (outcome !== 'already-settled' && 'digest' in outcome)
   *   await request.approve({ arguments: edited, digest: outcome.digest });
   */
  previewOf(requestId: string, edited: JsonObject): Promise<PreviewOutcome>;
  /**
   * Runs a turn after the turns before it have ended; until then the message is in `queue`. On an idle session with an empty queue a
   * message without an `id` is sent at once. The next message starts one macrotask after the promise of a completed or stopped turn has settled. After a
   * cancel, a failure, a move of the head or a change of the owner of the log, the queue waits for `resumeQueue()`.
   *
   * @returns the status of its turn, or `cancelled` when `dequeue` removed it. For an `id` that was given before: as the first call with
   *   it. Rejects as `send` does; `invalid-input` also for an `id` in the queue that the session made; `storage` if the message could not be saved, and then it is not in the queue
   *
   * @example
   * void session.enqueue('And then move it to Done');
   */
  enqueue(input: Input, options?: EnqueueOptions): Promise<TurnResult['status'] | 'cancelled'>;
  /**
   * Changes a message in the queue, or moves it. Messages that steer stay before all others: no other message can move before them.
   *
   * @param id of the item in `queue`
   * @returns false, without a change, if this item or the item of `before` is not in the queue: its turn may have started. Rejects as
   *   `enqueue` does for its input
   */
  requeue(id: string, change: QueueChange): Promise<boolean>;
  /**
   * Removes a message from the queue. Resolves with false if the message is not in the queue: its turn may have started, or the message may
   * have joined a turn.
   */
  dequeue(id: string): Promise<boolean>;
  /** Lets a paused queue go on. Does nothing if the queue is not paused. */
  resumeQueue(): Promise<void>;
  /**
   * Adds a message to the running turn. The model reads it with its next request, after the results of the calls of this round. Until then
   * the message is first in `queue`, and `dequeue` removes it. After a final answer, one more round follows if the limits of the turn
   * permit it. While no turn runs, the message becomes the first of the queue.
   *
   * With `child` the message joins the next round of that child turn instead. If the child turn ends without a further round, the message
   * leaves the queue. A round that asks for the `output` of a run takes no message.
   *
   * @returns `joined` when the message is a part of the turn; `queued` if the turn ended first, and the message became the first of the
   *   queue; `cancelled` when `dequeue` removed it, and if the child turn has ended or is unknown. Rejects as `enqueue` does
   *
   * @example
   * if ((await session.steer('Use the column Done instead')) === 'queued') note.textContent = 'It comes next.';
   *
   * @example
   * await session.steer('Shorter, please', { child: child.id });
   */
  steer(input: Input, options?: SteerOptions): Promise<'joined' | 'queued' | 'cancelled'>;
  /**
   * Returns all turns with their messages as versioned JSON, for the option `conversation` of a session, and for `beginLog` of
   * `@banister/storage/jsonl`.
   */
  save(): SavedConversation;
  /**
   * Takes back the effects of the newest committed turn that has effects. With `turnId`, takes back only the effects of this turn, if no
   * later turn in force touched the same parts of the app: the same `paths`, or without `paths` the same domain. Resolves with the report
   * even if some effects failed.
   *
   * Rejects `nothing-to-undo`, `already-running`, or `conflict`. `conflict` means that the user has changed one of its domains since
   * (`details.domains`), or that other turns are in the way (`details.inTheWay` has their ids, in the order in which to undo them). With
   * `child`, other agents of the turn may be in the way too: they are named by their child turns, and the agent of the turn itself by the
   * turn. It also rejects `invalid-input` for an unknown child turn, and `unsupported` if the history of the app has no `groups`.
   *
   * @example
   * await session.undo({ turnId: turn.id });
   */
  undo(options?: UndoOptions): Promise<UndoReport>;
  /**
   * Makes the effects of the turn that was undone last again, or the effects of the turn with this id. Rejects as `undo` does; for `redo`,
   * the turns in the way are the turns that have to be made again first.
   */
  redo(options?: UndoOptions): Promise<UndoReport>;
  /**
   * Accepts effects under review: they stay when the turn ends. When no effect is open any more, the turn commits, and the promise resolves
   * after its end. An effect that is not open is left alone. If the turn was interrupted, its review is opened again.
   *
   * @param ids of the calls, `toolCallId` in `pendingReview`. Default: all open effects
   * @returns the report of the effects that were taken back, which is empty unless an effect was already gone. Rejects `storage` if the
   *   decision cannot be saved, and as `send` does if the commit fails
   *
   * @example
   * await session.accept();
   */
  accept(ids?: readonly string[]): Promise<UndoReport>;
  /**
   * Takes back effects under review, together with the effects that depend on them, newest first. The model reads this with its next
   * request. An effect stays open if a change of the user is in its way, or if an effect that depends on it stays: `conflict` has the
   * reason. In every other respect as `accept`.
   *
   * @returns the report: `done` lists every effect that was taken back, `failed` and `lost` list the effects that stay open
   * @example
   * const [first] = session.pendingReview.value?.effects ?? [];
   * if (first) await session.reject([first.toolCallId]);
   */
  reject(ids?: readonly string[]): Promise<UndoReport>;
  /**
   * Puts one of the option `modes` in force, also while a turn runs. If a guard of the mode denies a call, the call is denied, whether its
   * question is open, or it was decided and has not started. If the mode would ask about a call that was decided, the call is not asked
   * about again.
   *
   * @returns resolves when the open questions have been decided. Rejects `invalid-input` for an unknown mode
   * @example
   * await session.setMode('plan');
   */
  setMode(id: string): Promise<void>;
  /**
   * Ends a grant. Calls that the grant allows, and that have not started, are asked about.
   *
   * @param grantId of the list `grants`. Rejects `invalid-input` for an id that is not in the list, `storage` if the store does not remove
   *   the grant
   * @example
   * for (const { id } of session.grants.value) await session.revoke(id);
   */
  revoke(grantId: string): Promise<void>;
  /**
   * Goes on with the turn, the undo or the redo that the last owner of the log did not end, or with the turn that waits for its model; see
   * the signal `interrupted`. Resolves as `send` does, or with the report of the effects that were taken back. The option `replay` of a tool
   * decides about a call that may have acted. Rejects `nothing-to-resume`.
   *
   * @example
   * if (session.interrupted.value !== null) await session.resume();
   */
  resume(): Promise<TurnResult | UndoReport>;
  /**
   * Takes back the effects of an interrupted turn, as far as this session can. The turn ends as `failed` with the code `interrupted`. If a
   * commit, an undo or a redo had begun, `abandon` finishes it instead. Resolves with the report. Rejects `nothing-to-resume`.
   */
  abandon(): Promise<UndoReport>;
  /**
   * Ends the session: aborts and rolls back a running turn. A turn that waits for its model stays as it is. Every later command rejects, or
   * throws, `disposed`.
   *
   * @param options `turn: 'leave'` leaves a running turn to the next session that opens the log: the promise of the turn rejects
   *   `disposed`, and no effect is reverted
   */
  dispose(options?: DisposeOptions): Promise<void>;
}

/** A session for the app that owns it. Views need only {@link AgentSession}. */
export interface LocalAgentSession extends AgentSession {
  /**
   * Returns a turn as a stream of its operations. The first subscription starts the turn; unsubscribing aborts it. The stream errors only
   * if `send` would reject before the turn starts. Otherwise the stream completes after a terminal operation.
   *
   * @example
   * session.turn$('Add a card').subscribe((operation) => console.log(operation.type));
   */
  turn$(input: Input, options?: SendOptions): Observable<Operation>;
  /**
   * Asks the model for JSON that fits a schema, checks the JSON, and resolves with it. The prompt and the answer join the conversation as a
   * turn. While the answer arrives, `partialOutput` has the part that can be parsed; `currentText` stays empty. The model may call no tool.
   *
   * Rejects `structured-output-invalid` for an answer that does not fit after a second attempt, and for an answer that was cut or refused:
   * `details.reason` says which. Then conversation and head are as before. Rejects `invalid-configuration` if the root of the schema is not
   * an object, or if JSON Schema cannot express the schema. Rejects `unsupported` if the model cannot produce structured output. Also
   * rejects as `send` does.
   *
   * @param schema a JSON Schema, or a schema of a library with Standard JSON Schema, whose transformations are applied
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
   * Changes settings from the next turn on. A setting that is undefined stays as it is; {@link SessionChanges} has the values that remove a
   * setting. A removed tool is not offered any more, but its effects can still be taken back in this page. If it throws
   * `invalid-configuration`, no setting has changed.
   */
  configure(changes: SessionChanges): void;
  /**
   * Tells the session that the app or the user changed a domain: turns with effects in the domain can no longer be redone. It is meant for
   * domains without `subscribe` and without `revision`, because `redo` cannot notice their changes. A domain with `subscribe` or `revision`
   * needs no call. Does nothing if no turn of the domain is undone.
   *
   * @param domain the id of the domain
   * @example
   * board.on('edit', () => session.touch('board'));
   */
  touch(domain: string): void;
}
