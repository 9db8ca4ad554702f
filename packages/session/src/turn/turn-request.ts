import type {
  AgentSessionError,
  Clock,
  ErrorData,
  Message,
  Provider,
  ProviderEvent,
  ProviderRequest,
  ToolDefinition,
  ToolResult,
} from '@banister/provider';
import type { ContextCache } from '../context/context-cache.js';
import type { ContextSource } from '../context/context-source.js';
import type { StructuredOutput, TurnOptions, UndoItem } from '../conversation/turn-record.js';
import type { Decision } from '../guards/decision.js';
import type { GrantStore } from '../guards/grant-store.js';
import type { Guard } from '../guards/guard.js';
import type { Mode } from '../guards/mode.js';
import type { AgentClock } from '../limits/agent-clock.js';
import type { Limits } from '../limits/limits.js';
import type { Spending } from '../limits/spending.js';
import type { Trip } from '../limits/trip.js';
import type { TurnTime } from '../limits/turn-time.js';
import type { ConsentOperation } from '../consent/consent-operations.js';
import type { ConfirmationRequest } from '../consent/confirmation-operations.js';
import type { EndedEffectMoved, LateToolSettled } from '../operations/session-operations.js';
import type { Observable } from '../operations/observable.js';
import type { TurnFact } from '../operations/operation.js';
import type { TurnEnding } from '../operations/turn-operations.js';
import type { Ports } from '../ports/ports.js';
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
import type { QuestionDesk, QuestionSource } from './question-desk.js';

/**
 * Answers confirmations in code: the option `confirm` of a session. Its signal fires if the turn ends first, or a mode denies the call. If
 * the handler throws, the call is denied.
 */
export type ConfirmHandler = (
  request: ConfirmationRequest,
  context: { readonly signal: AbortSignal },
) => Decision | Promise<Decision>;

/** The settings of one turn: a snapshot that `configure` does not change. */
export interface TurnSettings {
  readonly provider: Provider;
  readonly guards: readonly Guard[];
  readonly modes: readonly Mode[];
  /** Stores the approvals that are remembered for `always`; null if there is no store. */
  readonly grants: GrantStore | null;
  readonly confirm: ConfirmHandler | undefined;
  readonly role: string;
  readonly context: readonly ContextSource[];
  /** Loads the stages of the middleware; null if there is no middleware. */
  readonly hooks: ((clock: Clock) => Promise<HookStages>) | null;
  /** Offers the tools of the domains in stages; null if the model gets all of them at once. */
  readonly discovery: Discovery | null;
  readonly limits: Limits;
  readonly compaction: CompactionSettings;
  /** Whether a turn whose model failed waits, instead of being rolled back: the option `onModelFailure`. */
  readonly waits: boolean;
}

/** The compaction settings of a session. */
export interface CompactionSettings {
  /** Whether conversations are also compacted without a command. */
  readonly isAutomatic: boolean;
  /** Loads the code that compacts, and that builds the requests of a compacted conversation. */
  load(clock: Clock): Promise<CompactionStages>;
}

/** The parts of a turn that the stages of compaction need. */
export type CompactingTurn = HookedTurn &
  Pick<TurnRequest, 'journal'> & { readonly extensions: Pick<Extensions, 'permitted'> | null };

/** Sends the request of a round with these messages of the conversation, and streams its answer. */
export type AskRound = (messages: readonly Message[], attempt: number) => Observable<TurnFact>;

/** The stages around the request of a round whose conversation was compacted, or may be compacted. */
export interface CompactionStages {
  /**
   * Compacts the conversation if it fills too much of the model's window, then sends the request. If the model refuses the request as too
   * long, compacts and sends once more.
   */
  askRound(turn: CompactingTurn, ask: AskRound): Observable<TurnFact>;
  /**
   * Compacts between two turns.
   *
   * @param withSummary whether the model may write a summary
   */
  compact(turn: CompactingTurn, withSummary: boolean): Observable<TurnFact>;
}

/** How the model gets the tools of a session that has more of them than one request may offer. */
export interface Discovery {
  /** Whether domains are activated in stages even if the model accepts all tools. */
  readonly always: boolean;
  /** The highest number of tools in a request; Infinity for the provider's own maximum. */
  readonly maxTools: number;
  /** The code of the stages, a chunk of its own. */
  readonly code: {
    /** Returns the code, or a promise until it is loaded. */
    get(clock: Clock): DiscoveryStages | Promise<DiscoveryStages>;
  };
}

/** The parts of a turn from which its tools are chosen. */
export interface DiscoveringTurn extends Pick<TurnRequest, 'settings' | 'options' | 'tools' | 'current'> {
  emit(fact: TurnFact): void;
}

export interface DiscoveryStages {
  /** Returns the tools of a turn whose domains are activated in stages; null if the model gets all tools at once. Throws `unsupported`. */
  stagedTools(turn: DiscoveringTurn, discovery: Pick<Discovery, 'always' | 'maxTools'>): StagedTools | null;
}

/** The tools of a turn whose domains are activated in stages. */
export interface StagedTools {
  /** The tools that the model has at the moment. They change with each domain that is activated. */
  readonly tools: ToolRegistry;
  /** The definitions of all tools, including the tools of inactive domains. */
  readonly all: readonly ToolDefinition[];
  /** The highest number of tools in a request. */
  readonly cap: number;
  /** The line of the system prompt that says how domains become active. */
  readonly hint: string;
  /** Returns true if the model has the tools of a domain. */
  isActive(domain: string): boolean;
  /** Returns the fact that activates the domain of a tool that the model has to call; null if the domain is active. */
  activation(tool: string, round: number): TurnFact | null;
  /** Returns the answer to a call of a tool whose domain is inactive; undefined for any other tool. */
  refusal(tool: string): string | undefined;
}

/** The parts of a turn that the stages of its middleware need. */
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
 * The stages that middleware adds to a turn. Each stage reads from the state whether it ran before the turn was interrupted; if so, it does
 * not call its hooks again.
 */
export interface HookStages {
  /**
   * Runs before the first attempt of a round. The observable errors with `egress-refused` if a hook refuses the request.
   *
   * @param send called with the request to send, if the middleware changed it
   */
  beforeRequest(
    turn: HookedTurn,
    request: ProviderRequest,
    send: (request: ProviderRequest) => void,
  ): Observable<TurnFact>;
  /** Runs after the answer of the open round, before its calls are decided. */
  afterResponse(turn: HookedTurn): Observable<TurnFact>;
  /** Runs after the checks of a batch, before its guards. */
  beforeToolCalls(turn: HookedTurn, calls: readonly BatchCall[]): Observable<TurnFact>;
  /**
   * Runs when the executor of a call has answered, before the result is recorded.
   *
   * @param settle called once with the result to record; the fact about the hooks follows
   */
  afterToolCall(
    turn: HookedTurn,
    call: ReadyCall,
    result: ToolResult,
    settle: (result: ToolResult) => void,
  ): Observable<TurnFact>;
  /** Runs after the end of a call if the call failed; without an id, for all calls of the open round. Errors with `tool-escalated`. */
  onToolError(turn: HookedTurn, callId?: string): Observable<TurnFact>;
  /** Runs after the final answer. */
  afterTurn(turn: HookedTurn): Observable<TurnFact>;
  /** Withholds an answer that a limit interrupted before any hook received it. */
  unseenAnswer(turn: HookedTurn): Observable<TurnFact>;
  /** Returns a message whose texts may be shortened for a request. Throws `egress-refused`. null if no middleware redacts texts. */
  readonly redact: ((message: Message) => Message) | null;
  /**
   * Returns the message of a thrown value for the model, like `messageOf`. A text is redacted before it is shortened. Throws
   * `egress-refused`.
   */
  messageOf(thrown: unknown): string;
}

/** The stages that a turn of `generate` has instead of the stages for text and tool calls. */
export interface StructuredStages {
  /** The output that `generate` requested. */
  readonly requested: StructuredOutput;
  /** Returns the request of a round. It uses the provider's own mode for structured output, or a tool that the model has to call. */
  request(turn: HookedTurn, request: ProviderRequest): ProviderRequest;
  /**
   * Returns the piece of output in an event; null for an event that is handled as in any other turn. Throws `structured-output-invalid` if
   * the model calls a tool.
   */
  pieceOf(request: ProviderRequest, event: ProviderEvent): string | null;
  /** Returns the error of a request in the form for the user. */
  errorOf(request: ProviderRequest, error: AgentSessionError): AgentSessionError;
  /** Accepts the whole answer of the open round, or lets it be requested once more. Errors with `structured-output-invalid`. */
  answered(turn: HookedTurn): Observable<TurnFact>;
}

/** The request for a turn. */
export interface TurnRequest {
  /** The id of the turn's record. It is a part of the idempotency keys of its requests and calls. */
  readonly id: string;
  /**
   * The id of the turn to which the effects belong: the turn with the undo transaction and the notes of undo, and the target of late
   * settlements. It is the turn that the user sent.
   */
  readonly effectsOf: string;
  readonly input: Message;
  /** The id of the previous turn in the conversation; null for the first turn. */
  readonly parentId: string | null;
  /** The id of the turn that this turn repeats. */
  readonly retryOf: string | undefined;
  /** The options that were given for this turn. */
  readonly options: TurnOptions | undefined;
  /** The stages of a turn of `generate`; null for any other turn. */
  readonly structured: StructuredStages | null;
  readonly settings: TurnSettings;
  /** Creates the consent of the turn, at the first call that needs it. */
  consentOf(turn: AskingTurn): Consent;
  /** Creates the review of the turn; null if its effects are committed without a review. */
  readonly reviewOf: ((turn: ReviewedTurn) => TurnReview) | null;
  /** Creates the extension requests of the turn; null if a tripped limit ends the turn. */
  readonly extensionsOf: ((turn: ExtendingTurn) => Extensions) | null;
  readonly ports: Ports;
  readonly tools: ToolRegistry;
  /** The app's undo history; undefined for the built-in history, null for none. */
  readonly history: UndoProvider | null | undefined;
  readonly cancellation: Cancellation;
  /** Returns the state, immutable, including all emitted facts. */
  state(): SessionState;
  /** Returns the current state without a copy. It may be read until the next fact is emitted, and must not be kept. */
  current(): FoldState;
  readonly host: TurnHost;
  readonly journal: TurnJournal;
}

/** The parts of a turn that its consent needs. */
export interface AskingTurn extends Pick<
  TurnRequest,
  'id' | 'settings' | 'ports' | 'cancellation' | 'current' | 'journal' | 'host'
> {
  readonly clock: Pick<AgentClock, 'hold'>;
}

/** Decides which calls of a turn may run: asks the guards, and the user if a guard requires a confirmation. */
export interface Consent extends QuestionSource {
  /** Decides about the checked calls of a batch. A call that may not run is rejected. */
  decided(calls: readonly BatchCall[]): Observable<TurnFact>;
  /**
   * Runs before the executor of a call. If the permission of the call is not valid any more, the call is rejected or asked about. Returns
   * null if nothing has changed.
   */
  starting(call: BatchCall): Observable<TurnFact> | null;
  /** Called when the turn ends. What is remembered for the turn ends too. */
  ended(): void;
}

/** The parts of a turn that its extensions need. */
export interface ExtendingTurn extends Pick<
  TurnRequest,
  'settings' | 'ports' | 'cancellation' | 'current' | 'journal' | 'host'
> {
  readonly sink: { emit(fact: TurnFact): void };
  readonly time: TurnTime;
  readonly spending: Pick<Spending, 'budget'>;
}

/** The extension requests of a turn, which ask the user for more of a limit. */
export interface Extensions {
  /**
   * Called when the rounds of the turn start. A request that was open when the turn was interrupted is opened again.
   *
   * @param end called with the error of the limit if the user gives no more of it
   * @returns a function that undoes this call
   */
  started(end: (error: unknown) => void): () => void;
  /** Asks for more of a limit that tripped while a step is running. */
  tripped(trip: Trip): void;
  /** Completes when no request is open and no limit is tripped. If a limit is tripped, asks for more of it. A cancel ends the wait. */
  permitted(trip: () => Trip | null): Observable<never>;
  /**
   * Returns true if a step has to wait, because a request is open or the limit is tripped. After a cancel the user is not asked, and a call
   * over its limit ends the turn.
   */
  waits(trip: Trip | null): boolean;
}

/** The parts of a turn that its review needs. */
export interface ReviewedTurn
  extends
    Pick<TurnRequest, 'effectsOf' | 'ports' | 'cancellation' | 'current' | 'host' | 'journal'>,
    Pick<SharedParts, 'contextCache' | 'readRevisions'> {
  readonly sink: { emit(fact: TurnFact): void };
  readonly clock: Pick<AgentClock, 'hold'>;
  readonly transaction: Pick<TurnTransaction, 'hasHistory' | 'canRevert' | 'revertOpen' | 'record'>;
  readonly revisions: { summary(): { readonly domains: readonly string[]; readonly after: Revisions } };
  readonly running: ReadonlyMap<string, RunningCall>;
}

/** A call whose executor has not returned. */
export interface RunningCall {
  readonly item: UndoItem;
  /** Returns the effects that the call has recorded until now; absent if an earlier session called the executor. */
  record?(): CallRecord;
}

/** The review of the effects of a turn: the stage before its commit. */
export interface TurnReview {
  /** If the turn has effects that can be taken back, opens the review. Completes when each effect is decided. A cancel ends the review. */
  decided(ending: TurnEnding): Observable<TurnFact>;
  /**
   * Ends an open review. Effects without a decision are taken back, unless an accepted effect depends on them.
   *
   * @param keeps true: effects without a decision are accepted instead
   */
  closed(keeps: boolean): Observable<never>;
}

/** The journal of the session, for the stages of a turn. */
export interface TurnJournal {
  /**
   * Writes every operation that was emitted until now. Returns undefined if the journal has stored them, or if no step may wait: without a
   * journal, and while the session is shown as unsaved. Otherwise returns a promise, which rejects with `storage` if the write is refused.
   * The promise may be ignored.
   */
  barrier(): void | Promise<void>;
  /**
   * Called before an effect moves. Returns undefined while this session certainly owns its log. Otherwise returns a promise, which rejects
   * with `storage` if another session owns the log. With the option `whenUnsaved: 'stop'` it also waits as `recorded` does.
   */
  owned(): void | Promise<void>;
  /** Called before a rollback. With the option `whenUnsaved: 'stop'` it waits as `barrier` does; otherwise it returns undefined. */
  recorded(): void | Promise<void>;
  /** True if another writer owns the session. Then nothing may be reverted or reported here any more. */
  readonly isFenced: boolean;
}

/** The journal for a session without one: no step waits. */
export const noJournal: TurnJournal = {
  barrier: () => {},
  owned: () => {},
  recorded: () => {},
  isFenced: false,
};

/** A turn that waits for its model, with the parts that go on with it. */
export interface WaitingTurn {
  readonly id: string;
  readonly transaction: TurnTransaction;
  readonly running: Map<string, RunningCall>;
}

/** What a turn uses of its session apart from emitting facts. */
export interface TurnHost {
  /** Returns the tools for the next turn. */
  tools(): ToolRegistry;
  /** Returns the current modes of the session. */
  modes(): readonly Mode[];
  /** The session for which approvals are remembered: the id of its log. Without a log it is null until an approval needs it. */
  id: string | null;
  /**
   * Emits a fact of the session: a tool returned after its call was aborted, an effect moved after the end of its turn, or the permissions
   * of the user have changed.
   */
  emit(fact: LateToolSettled | EndedEffectMoved | ConsentOperation): void;
  /** Called when the turn fails: `data` is the JSON form of `error` in the state. */
  failedWith(data: ErrorData, error: AgentSessionError): void;
  /** As {@link TurnJournal.owned}, for effects of turns that have ended. */
  owned(): void | Promise<void>;
  /** True if the session was disposed without a rollback: another session decides about the turn. */
  isLeft: boolean;
  /** The number of running executors, including the executors of aborted calls. */
  runningCalls: number;
  /** The parts that all turns share; null until the first turn creates them. */
  shared: SharedParts | null;
  /** Receives the facts of the newest turn; null before the first turn. */
  sink: { emit(fact: TurnFact): void } | null;
  /** The turn that this session has put down: its effects stay in its transaction, so that their code is not lost. null if there is none. */
  waiting: WaitingTurn | null;
  /** The open questions of the newest turn that the user sent. */
  desk: QuestionDesk;
}

/** The objects that the turns of a session share. */
export interface SharedParts {
  readonly arguments: ArgumentChecker;
  /** The committed turns that can be undone and redone. */
  readonly undoStack: UndoStack;
  /** The lines of live context that are still valid. */
  readonly contextCache: ContextCache;
  /** Reads the revisions of all domains. */
  readRevisions(): Revisions;
}
