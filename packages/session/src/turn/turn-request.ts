import type { ContextCache } from '../context/context-cache.js';
import type { ContextSource } from '../context/context-source.js';
import type { ToolResult } from '../conversation/content.js';
import type { Message } from '../conversation/message.js';
import type { StructuredOutput, TurnOptions, UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { AgentSessionError, ErrorData } from '../errors/agent-session-error.js';
import type { Decision, PreviewOutcome, RespondOutcome } from '../guards/decision.js';
import type { GrantStore } from '../guards/grant-store.js';
import type { Guard } from '../guards/guard.js';
import type { Mode } from '../guards/mode.js';
import type { JsonObject } from '../json/json.js';
import type { Limits } from '../limits/limits.js';
import type { Spending } from '../limits/spending.js';
import type { Trip } from '../limits/trip.js';
import type { LimitClock } from '../limits/limit-clock.js';
import type { TurnClock } from '../limits/turn-clock.js';
import type { ConsentOperation } from '../operations/consent-operations.js';
import type { ConfirmationRequest } from '../operations/confirmation-operations.js';
import type { EndedEffectMoved, LateToolSettled } from '../operations/session-operations.js';
import type { Observable } from '../operations/observable.js';
import type { TurnFact } from '../operations/operation.js';
import type { TurnEnding } from '../operations/turn-operations.js';
import type { Clock } from '../ports/clock.js';
import type { Ports } from '../ports/ports.js';
import type { ProviderEvent } from '../provider/provider-event.js';
import type { Provider, ProviderRequest, ToolDefinition } from '../provider/provider.js';
import type { FoldState, SessionState } from '../state/session-state.js';
import type { ArgumentChecker } from '../tools/argument-checker.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { CallRecord } from '../undo/live-call.js';
import type { Revisions } from '../undo/revisions.js';
import type { TurnTransaction } from '../undo/turn-transaction.js';
import type { UndoProvider } from '../undo/undo-provider.js';
import type { UndoStack } from '../undo/undo-stack.js';
import type { BatchCall, ReadyCall } from './batch-call.js';
import type { Cancellation } from './cancellation.js';

/**
 * Answers confirmations in code: the option `confirm` of a session. Its signal fires when the turn ends first, or a mode denies the call. A handler that
 * throws denies.
 */
export type ConfirmHandler = (
  request: ConfirmationRequest,
  context: { readonly signal: AbortSignal },
) => Decision | Promise<Decision>;

/** The settings of one turn: a snapshot, which `configure` does not change. */
export interface TurnSettings {
  readonly provider: Provider;
  readonly guards: readonly Guard[];
  readonly modes: readonly Mode[];
  /** Keeps the approvals that are remembered for always; null where there is none. */
  readonly grants: GrantStore | null;
  readonly confirm: ConfirmHandler | undefined;
  readonly role: string;
  readonly context: readonly ContextSource[];
  /** Loads the stages of the middleware; null where there is none. */
  readonly hooks: ((clock: Clock) => Promise<HookStages>) | null;
  /** Offers the tools of the domains one after the other; null where the model gets all of them at once. */
  readonly discovery: Discovery | null;
  readonly limits: Limits;
  readonly compaction: CompactionSettings;
}

/** The compaction of a session. */
export interface CompactionSettings {
  /** Whether conversations are compacted without a command. */
  readonly isAutomatic: boolean;
  /** Loads the code that compacts, and that makes requests of a conversation that was compacted. */
  load(clock: Clock): Promise<CompactionStages>;
}

/** The parts of a turn that the stages of compaction use. */
export type CompactingTurn = HookedTurn &
  Pick<TurnRequest, 'journal'> & { readonly extensions: Pick<Extensions, 'permitted'> | null };

/** Sends the request of a round with these messages of the conversation, and streams its answer. */
export type AskRound = (messages: readonly Message[], attempt: number) => Observable<TurnFact>;

/** The stages around the request of a round, where the conversation was compacted, or may be. */
export interface CompactionStages {
  /**
   * Compacts the conversation where it fills too much of the model's window, then sends the request. Where the model refuses it as too long,
   * compacts and sends again, once.
   */
  askRound(turn: CompactingTurn, ask: AskRound): Observable<TurnFact>;
  /**
   * Compacts between two turns.
   *
   * @param withSummary whether the model may write a summary
   */
  compact(turn: CompactingTurn, withSummary: boolean): Observable<TurnFact>;
}

/** The way in which the model gets the tools of a session with more domains than it is offered at once. */
export interface Discovery {
  /** Whether the domains are activated one after the other also where the model takes all tools. */
  readonly always: boolean;
  /** The highest number of tools in a request; Infinity for that of the provider. */
  readonly maxTools: number;
  /** Its code is a chunk of its own. */
  readonly code: {
    /** Returns the code, or a promise of it until it is loaded. */
    get(clock: Clock): DiscoveryStages | Promise<DiscoveryStages>;
  };
}

/** The parts of a turn from which its tools are chosen. */
export interface DiscoveringTurn extends Pick<TurnRequest, 'settings' | 'options' | 'tools' | 'current'> {
  emit(fact: TurnFact): void;
}

export interface DiscoveryStages {
  /** Returns the tools of a turn whose domains are activated one after the other; null where the model gets all of them. Throws `unsupported`. */
  stagedTools(turn: DiscoveringTurn, discovery: Pick<Discovery, 'always' | 'maxTools'>): StagedTools | null;
}

/** The tools of a turn whose domains are activated one after the other. */
export interface StagedTools {
  /** The tools that the model has now. They change with each domain that becomes active. */
  readonly tools: ToolRegistry;
  /** The definitions of all tools, those of domains that are not active included. */
  readonly all: readonly ToolDefinition[];
  /** The highest number of tools in a request. */
  readonly cap: number;
  /** The line of the system prompt that says how domains become active. */
  readonly hint: string;
  /** Whether the model has the tools of a domain. */
  isActive(domain: string): boolean;
  /** Returns the fact that activates the domain of a tool that the model has to call; null where it is active. */
  activation(tool: string, round: number): TurnFact | null;
  /** Returns the answer to a call of a tool whose domain is not active; undefined for any other tool. */
  refusal(tool: string): string | undefined;
}

/** The parts of a turn that the stages of its middleware use. */
export interface HookedTurn
  extends
    Pick<
      TurnRequest,
      'id' | 'structured' | 'settings' | 'ports' | 'tools' | 'cancellation' | 'state' | 'current'
    >,
    Pick<SharedParts, 'arguments'> {
  readonly spending: Spending;
}

/**
 * The stages that middleware adds to a turn. Each reads in the state whether it was there before its turn was interrupted, and then calls
 * no hook again.
 */
export interface HookStages {
  /**
   * Comes before the first attempt of a round. Errors with `egress-refused`.
   *
   * @param send is called with the request to send where it is another one
   */
  beforeRequest(
    turn: HookedTurn,
    request: ProviderRequest,
    send: (request: ProviderRequest) => void,
  ): Observable<TurnFact>;
  /** Comes after the answer of the open round, before its calls are decided. */
  afterResponse(turn: HookedTurn): Observable<TurnFact>;
  /** Comes after the checks of a batch, before its guards. */
  beforeToolCalls(turn: HookedTurn, calls: readonly BatchCall[]): Observable<TurnFact>;
  /**
   * Comes when the executor of a call has answered, before the result is recorded.
   *
   * @param settle is called once, with the result to record; the fact about the hooks follows
   */
  afterToolCall(
    turn: HookedTurn,
    call: ReadyCall,
    result: ToolResult,
    settle: (result: ToolResult) => void,
  ): Observable<TurnFact>;
  /** Comes after the end of a call, if the call failed; without an id for all calls of the open round. Errors with `tool-escalated`. */
  onToolError(turn: HookedTurn, callId?: string): Observable<TurnFact>;
  /** Comes after the final answer. */
  afterTurn(turn: HookedTurn): Observable<TurnFact>;
  /** Withholds an answer that a limit cut before any hook had it. */
  unseenAnswer(turn: HookedTurn): Observable<TurnFact>;
  /** Returns a message whose texts may be cut for a request, and throws `egress-refused`; null where no middleware takes pieces out of texts. */
  readonly redact: ((message: Message) => Message) | null;
  /** As `messageOf`, for the model: where a text is cut, it is redacted before. Throws `egress-refused`. */
  messageOf(thrown: unknown): string;
}

/** The stages that a turn of `generate` has in the place of those for text and for tool calls. */
export interface StructuredStages {
  /** The output that the turn was asked for. */
  readonly requested: StructuredOutput;
  /** Returns the request of a round: in the provider's own mode, or with a tool that the model has to call. */
  request(turn: HookedTurn, request: ProviderRequest): ProviderRequest;
  /**
   * Returns the piece of the output that an event has; null for an event that joins the turn as in any other one. Throws
   * `structured-output-invalid` for a call of a tool.
   */
  pieceOf(request: ProviderRequest, event: ProviderEvent): string | null;
  /** Returns the error of a request, as a user reads it. */
  errorOf(request: ProviderRequest, error: AgentSessionError): AgentSessionError;
  /** Accepts the whole answer of the open round, or has it asked for once more. Errors with `structured-output-invalid`. */
  answered(turn: HookedTurn): Observable<TurnFact>;
}

/** The request for a turn. */
export interface TurnRequest {
  readonly id: string;
  readonly input: Message;
  /** The id of the turn before it in the conversation; null for the first one. */
  readonly parentId: string | null;
  /** The id of the turn that this one repeats. */
  readonly retryOf: string | undefined;
  /** The options that were given for this turn. */
  readonly options: TurnOptions | undefined;
  /** The stages of a turn of `generate`; null for any other one. */
  readonly structured: StructuredStages | null;
  readonly settings: TurnSettings;
  /** Makes its consent, at the first call that needs it. */
  consentOf(turn: AskingTurn): Consent;
  /** Makes its review; null where its effects are committed without one. */
  readonly reviewOf: ((turn: ReviewedTurn) => TurnReview) | null;
  /** Makes its requests for more of a limit; null where a limit that trips ends the turn. */
  readonly extensionsOf: ((turn: ExtendingTurn) => Extensions) | null;
  readonly ports: Ports;
  readonly tools: ToolRegistry;
  /** The app's undo history; undefined for the built-in one, null for none. */
  readonly history: UndoProvider | null | undefined;
  readonly cancellation: Cancellation;
  /** Returns the state, immutable, with all facts that were emitted. */
  state(): SessionState;
  /** Returns the state as it is now, without a copy: for reading before the next fact is emitted, not for keeping. */
  current(): FoldState;
  readonly host: TurnHost;
  readonly journal: TurnJournal;
}

/** The parts of a turn that its consent uses. */
export interface AskingTurn extends Pick<
  TurnRequest,
  'id' | 'settings' | 'ports' | 'cancellation' | 'current' | 'journal' | 'host'
> {
  readonly clock: Pick<TurnClock, 'hold'>;
}

/** Decides which calls of a turn may run: the guards, and the user whom they ask. */
export interface Consent {
  /** Decides about the calls of a batch, which were checked. A call that may not run is rejected. */
  decided(calls: readonly BatchCall[]): Observable<TurnFact>;
  /**
   * Comes before the executor of a call: the call is rejected, or asked about, where what allowed it stands no longer. Returns null where
   * nothing has changed.
   */
  starting(call: BatchCall): Observable<TurnFact> | null;
  /** Is called when the mode has changed: settles the open questions about calls that it denies. Resolves when each was decided. */
  modeChanged(): Promise<void>;
  /** Is called when the turn ends: what is remembered for it ends too. */
  ended(): void;
  /** Settles an open question. */
  respond(requestId: string, decision: Decision): RespondOutcome;
  /** Lets a view say that the user is at an open question, or is there no longer. */
  attend(requestId: string, attendant: string, isThere: boolean): void;
  /** Makes the preview of an open question with edited arguments. */
  previewOf(requestId: string, edited: JsonObject): Promise<PreviewOutcome>;
  /**
   * Is called when the app or the user may have changed a domain.
   *
   * @param isReport whether the domain reported it: a change of the session itself may be the reason
   */
  domainChanged(domain: string, isReport: boolean): void;
}

/** The parts of a turn that its extensions use. */
export interface ExtendingTurn extends Pick<
  TurnRequest,
  'settings' | 'ports' | 'cancellation' | 'current' | 'journal'
> {
  readonly sink: { emit(fact: TurnFact): void };
  readonly clock: Pick<TurnClock, 'hold' | 'extendTo'> & {
    readonly thinking: Pick<LimitClock, 'hold' | 'extendTo'>;
  };
  readonly spending: Pick<Spending, 'budget'>;
}

/** The requests of a turn for more of a limit. */
export interface Extensions {
  /**
   * Is called when the rounds of the turn start. A request that was open when the turn was interrupted is opened again.
   *
   * @param end is called with the error of the limit where the turn gets no more
   * @returns the function that ends this
   */
  started(end: (error: unknown) => void): () => void;
  /** Asks for more of a limit that tripped while something runs. */
  tripped(trip: Trip): void;
  /** Completes when no request is open and no limit is tripped, and asks for more of one that is. A cancel ends the wait. */
  permitted(trip: () => Trip | null): Observable<never>;
  /** Whether a step has to wait: a request is open, or the limit is tripped. After a cancel no user is asked: a call over its limit ends the turn. */
  waits(trip: Trip | null): boolean;
  /** Settles the open request. */
  respond(requestId: string, decision: unknown): RespondOutcome;
}

/** The parts of a turn that its review uses. */
export interface ReviewedTurn
  extends
    Pick<TurnRequest, 'id' | 'ports' | 'cancellation' | 'current' | 'host' | 'journal'>,
    Pick<SharedParts, 'contextCache' | 'readRevisions'> {
  readonly sink: { emit(fact: TurnFact): void };
  readonly clock: Pick<TurnClock, 'hold'>;
  readonly transaction: Pick<TurnTransaction, 'hasHistory' | 'canRevert' | 'revertOpen' | 'record'>;
  readonly revisions: { summary(): { readonly domains: readonly string[]; readonly after: Revisions } };
  readonly running: ReadonlyMap<string, RunningCall>;
}

/** A call whose executor has not returned. */
export interface RunningCall {
  readonly item: UndoItem;
  /** Returns the effects that it recorded so far; absent where an earlier session called the executor. */
  record?(): CallRecord;
}

/** The review of the effects of a turn: the stage before its commit, and the commands of the user. */
export interface TurnReview {
  /** Opens the review where the turn has effects that can be taken back, and completes when each is decided. A cancel ends it. */
  decided(ending: TurnEnding): Observable<TurnFact>;
  /**
   * Ends a review that was opened: the effects without a decision are taken back, as far as no accepted one depends on them.
   *
   * @param keeps accepts them instead
   */
  closed(keeps: boolean): Observable<never>;
  /** Carries out a decision of the user about these calls; about all that are open by default. Resolves when the journal has it. */
  decide(decision: 'accept' | 'reject', ids: readonly string[] | undefined): Promise<UndoReport>;
  /** Is called when a call that was cut has recorded an effect. */
  recorded(): void;
  /** Carries out the end of a call that was cut, in turn with the decisions. */
  inTurn<R>(carryOut: () => Promise<R>): Promise<R>;
}

/** The journal of the session, as the stages of a turn use it. */
export interface TurnJournal {
  /**
   * Writes every operation that was emitted so far. Returns nothing when the journal has them, or when nothing waits for it: without
   * a journal, and while the session is shown as unsaved. Else a promise, which rejects with `storage` when the write is refused. It
   * may be ignored.
   */
  barrier(): void | Promise<void>;
  /**
   * Is called before an effect is moved. Returns nothing while this session certainly owns its log, else a promise, which rejects with
   * `storage` where another one owns it.
   */
  owned(): void | Promise<void>;
  /** True when another writer owns the session: nothing may be reverted or reported here any more. */
  readonly isFenced: boolean;
}

/** The journal of a session without one: nothing waits. */
export const noJournal: TurnJournal = { barrier: () => {}, owned: () => {}, isFenced: false };

/** The parts of its session that a turn calls beside emitting facts. */
export interface TurnHost {
  /** Returns the tools that the next turn gets. */
  tools(): ToolRegistry;
  /** Returns the modes of the session, as they are now. */
  modes(): readonly Mode[];
  /** The session for which approvals are remembered: the id of its log; null until one without a log needs it. */
  id: string | null;
  /**
   * Emits a fact of the session: a tool returned after its call was cut, an effect was moved after its turn had ended, or what the user allows has
   * changed.
   */
  emit(fact: LateToolSettled | EndedEffectMoved | ConsentOperation): void;
  /** Is called when the turn fails: `data` is the JSON form of `error` in the state. */
  failedWith(data: ErrorData, error: AgentSessionError): void;
  /** As {@link TurnJournal.owned}, for effects of turns that have ended. */
  owned(): void | Promise<void>;
  /** True when the session was disposed without a rollback: another session decides about the turn. */
  isLeft: boolean;
  /** How many executors run, those of calls that were cut included. */
  runningCalls: number;
  /** The parts that all turns share; null until the first turn creates them. */
  shared: SharedParts | null;
  /** The consent of the newest turn that needed one; null before the first. */
  consent: Consent | null;
  /** The extensions of the newest turn; null where it asks for none, and before the first. */
  extensions: Extensions | null;
  /** The review that is open; null while none is. */
  review: TurnReview | null;
}

/** The objects that the turns of a session share. */
export interface SharedParts {
  readonly arguments: ArgumentChecker;
  /** The committed turns that can be undone and redone. */
  readonly undoStack: UndoStack;
  /** The lines of live context that still stand. */
  readonly contextCache: ContextCache;
  /** Reads the revisions of all domains. */
  readRevisions(): Revisions;
}
