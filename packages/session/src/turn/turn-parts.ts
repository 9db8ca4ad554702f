import type {
  AgentSessionError,
  Clock,
  Input,
  Message,
  Provider,
  ProviderEvent,
  ProviderRequest,
  ToolDefinition,
  ToolResult,
} from '@banister/provider';
import type { Agent } from '../agents/agent.js';
import type { StructuredOutput } from '../conversation/turn-record.js';
import type { AgentClock } from '../limits/agent-clock.js';
import type { Spending } from '../limits/spending.js';
import type { Trip } from '../limits/trip.js';
import type { Observable } from '../operations/observable.js';
import type { TurnFact } from '../operations/operation.js';
import type { TurnEnding } from '../operations/turn-operations.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { AnyRunOptions, AnyRunResult } from '../tools/run.js';
import type { BatchCall, ReadyCall } from './batch-call.js';
import type { CancelLevels } from './cancellation.js';
import type { Stage } from './concat.js';
import type { SharedParts, TurnRequest, TurnSettings } from './turn-request.js';

/** The settings of a session from which the parts of its turns are made. */
export interface PartSettings {
  /**
   * Loads the stages of the middleware; null if there is no middleware.
   *
   * @param agent the agent whose middleware is called after the middleware of the session
   */
  readonly hooks: ((clock: Clock, agent?: Agent) => Promise<HookStages>) | null;
  readonly compaction: CompactionSettings;
  /** Offers the tools of the domains in stages; null if the model gets all of them at once. */
  readonly discovery: Discovery | null;
  /** The agents of the session, which calls may run. */
  readonly agents: readonly Agent[];
}

/** The settings of the next turn. */
export interface NextSettings extends TurnSettings, PartSettings {}

/** The features of one turn, a place for each. They are made together, when the turn is created. */
export interface TurnParts extends PartSettings {
  readonly consent: Consent;
  /** null if a tripped limit ends the turn. */
  readonly extensions: Extensions | null;
  /** null if the effects of the turn are committed without a review. */
  readonly review: TurnReview | null;
  /** null if the open round, or the next round, does not ask for a structured output. */
  readonly structured: StructuredStages | null;
  /** The child turns of the turn that the user sent. Its child turns share them. */
  readonly children: Children;
  /** Where the agents of the turn wait for each other; null until a call of the turn runs an agent. */
  gate: AgentGate | null;
}

/** The runs of a call. */
export interface BegunRuns {
  /** Their keys, in the order of the runs. */
  readonly keys: string[];
  /** Resolves when the last run has begun. */
  last: Promise<unknown> | undefined;
}

/** A call that runs child turns. */
export interface CallOfRuns {
  /** The id of the turn of the call. */
  readonly turnId: string;
  readonly callId: string;
  readonly begun: BegunRuns;
  /** Returns false after the call has ended, or was cut. */
  isRunning(): boolean;
}

/** A child turn that this session runs. */
export interface OpenChild {
  /** Cancels the child turn alone. */
  cancel(options: CancelLevels): void;
  /** Stops the stages of the child turn where they are, without a fact. */
  stop(): void;
  /** The id of the call that runs the child turn. */
  readonly callId: string;
  readonly provider: Provider;
  /** Resolves when the child turn has ended. */
  readonly ended: Promise<void>;
}

/** Runs the child turns of a turn that the user sent, at all depths. */
export interface Children {
  /** The child turns that run, by id. */
  readonly open: ReadonlyMap<string, OpenChild>;
  /** Runs a child turn inside a call, see {@link ToolContext.run}. */
  run(call: CallOfRuns, agent: string, input: Input, options?: AnyRunOptions): Promise<AnyRunResult>;
  /** Adds the tool with which the model delegates tasks to the turn that the user sent, if there are agents for that. */
  delegation(turnId: string): Stage;
  /**
   * Ends the open child turns inside a turn where they are, because that turn ends: the deepest child turn first, in one synchronous step.
   * The effects of the child turns are left to the turn that ends.
   */
  end(turnId: string, error: AgentSessionError): void;
  /**
   * Takes back what open child turns of an earlier session did in a call: all of them if the call does not ask for them again, otherwise
   * those whose agent the session lacks. Returns null if there are none.
   */
  abandoned(callId: string, runsAgain: boolean): Observable<never> | null;
  /** Returns lines for the model about child turns of a call of an earlier session in whose place the call has run other work. */
  lines(callId: string): readonly string[];
}

/** The members of a turn that its gate uses. */
export interface GatedTurn extends Pick<
  TurnRequest,
  'agent' | 'effectsOf' | 'ports' | 'cancellation' | 'current'
> {
  readonly clock: Pick<AgentClock, 'hold'>;
}

/** A call that changes something, or whose effects are taken back. Then `value` may be the arguments from the log. */
export type GatedWork = Pick<ReadyCall, 'id' | 'tool' | 'value'>;

/** Where the calls and the requests of the agents of one turn wait for each other. Waiting costs no time of the turn. */
export interface AgentGate {
  /** Returns the gate for a child turn of a call. */
  forChild(child: GatedTurn, callId: string): AgentGate;
  /**
   * Lets a call in, before its executor is called. The observable completes when no other agent runs a call that excludes this call. The
   * call is rejected if another agent has changed one of its resources. A cancel ends the wait.
   *
   * @returns null if the call may run at once
   */
  entering(call: BatchCall): Observable<TurnFact> | null;
  /** Called when a call has ended, was cut, or does not wait any more. It may be called for a call that is not inside. */
  left(call: BatchCall): void;
  /** Takes effects of calls back while no other agent runs a call that excludes one of them. A cancel does not end the wait. */
  takingBack<R>(calls: readonly GatedWork[], work: () => Promise<R>): Promise<R>;
  /** Called when a request is built: what other agents changed before is read. */
  requested(): void;
  /** Sends a request when few enough requests of child turns are open. */
  asking(request: Observable<TurnFact>): Observable<TurnFact>;
  /** Runs the batch of a call inside an answer. Meanwhile the request of the answer does not count as open. */
  callInside(batch: Observable<TurnFact>): Observable<TurnFact>;
}

/** The members of a turn that the stages of its features use. A compaction between two turns has them too. */
export interface FeatureTurn
  extends
    Pick<
      TurnRequest,
      | 'id'
      | 'agent'
      | 'structured'
      | 'settings'
      | 'ports'
      | 'tools'
      | 'cancellation'
      | 'state'
      | 'current'
      | 'journal'
    >,
    Pick<SharedParts, 'arguments'> {
  readonly spending: Spending;
  readonly parts: Pick<TurnParts, 'hooks' | 'extensions' | 'structured'>;
}

/** Decides which calls of a turn may run: asks the guards, and the user if a guard requires a confirmation. */
export interface Consent {
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
    turn: FeatureTurn,
    request: ProviderRequest,
    send: (request: ProviderRequest) => void,
  ): Observable<TurnFact>;
  /** Runs after the answer of the open round, before its calls are decided. */
  afterResponse(turn: FeatureTurn): Observable<TurnFact>;
  /** Runs after the checks of a batch, before its guards. */
  beforeToolCalls(turn: FeatureTurn, calls: readonly BatchCall[]): Observable<TurnFact>;
  /**
   * Runs when the executor of a call has answered, before the result is recorded.
   *
   * @param settle called once with the result to record; the fact about the hooks follows
   */
  afterToolCall(
    turn: FeatureTurn,
    call: ReadyCall,
    result: ToolResult,
    settle: (result: ToolResult) => void,
  ): Observable<TurnFact>;
  /** Runs after the end of a call if the call failed; without an id, for all calls of the open round. Errors with `tool-escalated`. */
  onToolError(turn: FeatureTurn, callId?: string): Observable<TurnFact>;
  /** Runs after the final answer. */
  afterTurn(turn: FeatureTurn): Observable<TurnFact>;
  /** Withholds an answer that a limit interrupted before any hook received it. */
  unseenAnswer(turn: FeatureTurn): Observable<TurnFact>;
  /** Returns a message whose texts may be shortened for a request. Throws `egress-refused`. null if no middleware redacts texts. */
  readonly redact: ((message: Message) => Message) | null;
  /**
   * Returns the message of a thrown value for the model, like `messageOf`. A text is redacted before it is shortened. Throws
   * `egress-refused`.
   */
  messageOf(thrown: unknown): string;
}

/** The compaction settings of a session. */
export interface CompactionSettings {
  /** Whether conversations are also compacted without a command. */
  readonly isAutomatic: boolean;
  /** Loads the code that compacts, and that builds the requests of a compacted conversation. */
  load(clock: Clock): Promise<CompactionStages>;
}

/** Sends the request of a round with these messages of the conversation, and streams its answer. */
export type AskRound = (messages: readonly Message[], attempt: number) => Observable<TurnFact>;

/** The stages around the request of a round whose conversation was compacted, or may be compacted. */
export interface CompactionStages {
  /**
   * Compacts the conversation if it fills too much of the model's window, then sends the request. If the model refuses the request as too
   * long, compacts and sends once more.
   */
  askRound(turn: FeatureTurn, ask: AskRound): Observable<TurnFact>;
  /**
   * Compacts between two turns.
   *
   * @param withSummary whether the model may write a summary
   */
  compact(turn: FeatureTurn, withSummary: boolean): Observable<TurnFact>;
}

/** The stages that a round which asks for a structured output has instead of the stages for text and tool calls. */
export interface StructuredStages {
  /** The output that `generate`, or a run of an agent, requested. */
  readonly requested: StructuredOutput;
  /** Returns the request of a round. It uses the provider's own mode for structured output, or a tool that the model has to call. */
  request(turn: FeatureTurn, request: ProviderRequest): ProviderRequest;
  /**
   * Returns the piece of output in an event; null for an event that is handled as in any other turn. Throws `structured-output-invalid` if
   * the model calls a tool.
   */
  pieceOf(request: ProviderRequest, event: ProviderEvent): string | null;
  /** Returns the error of a request in the form for the user. */
  errorOf(request: ProviderRequest, error: AgentSessionError): AgentSessionError;
  /** Accepts the whole answer of the open round, or lets it be requested once more. Errors with `structured-output-invalid`. */
  answered(turn: FeatureTurn): Observable<TurnFact>;
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

/** The members of a turn from which its tools are chosen. */
export interface DiscoveringTurn extends Pick<
  TurnRequest,
  'agent' | 'settings' | 'options' | 'tools' | 'current' | 'ports'
> {
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
  /**
   * Returns the lines of the system prompt after the lines about the domains: how domains become active, and the instructions of active
   * domains that the messages do not have.
   */
  lines(messages: readonly Message[]): readonly string[];
  /** Returns true if the model has the tools of a domain. */
  isActive(domain: string): boolean;
  /**
   * Runs before the request of a round: activates the domains that the options of the turn name, and loads the instructions of active
   * domains.
   *
   * @param tool the tool that the model has to call; null if it need not call any
   */
  beginning(tool: string | null, round: number): Stage;
  /** Returns the answer to a call of a tool whose domain is inactive; undefined for any other tool. */
  refusal(tool: string): string | undefined;
}
