import type { AgentSessionError, ErrorData, Message, Provider } from '@banister/provider';
import type { ContextCache } from '../context/context-cache.js';
import type { ContextSource } from '../context/context-source.js';
import type { AgentRef } from '../conversation/agent-ref.js';
import type {
  MessageSource,
  StructuredOutput,
  TurnOptions,
  TurnRecord,
  UndoItem,
} from '../conversation/turn-record.js';
import type { Decision } from '../guards/decision.js';
import type { GrantStore } from '../guards/grant-store.js';
import type { Guard } from '../guards/guard.js';
import type { Mode } from '../guards/mode.js';
import type { Limits } from '../limits/limits.js';
import type { ConsentOperation } from '../consent/consent-operations.js';
import type { ConfirmationRequest } from '../consent/confirmation-operations.js';
import type { EndedEffectMoved, LateToolSettled } from '../operations/session-operations.js';
import type { TurnFact } from '../operations/operation.js';
import type { Dequeued } from '../queue/queue-operations.js';
import type { Ports } from '../ports/ports.js';
import type { FoldState, SessionState } from '../state/session-state.js';
import type { ArgumentChecker } from '../tools/argument-checker.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { CallRecord } from '../undo/live-call.js';
import type { Revisions } from '../undo/revisions.js';
import type { OpenTransaction } from '../undo/turn-transaction.js';
import type { UndoProvider } from '../undo/undo-provider.js';
import type { UndoStack } from '../undo/undo-stack.js';
import type { Cancellation } from './cancellation.js';
import type { QuestionDesk } from './question-desk.js';

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
  /** The guards of the agent that runs the turn, called after the guards of the mode; an empty list for the turn that the user sent. */
  readonly agentGuards: readonly Guard[];
  readonly modes: readonly Mode[];
  /** Stores the approvals that are remembered for `always`; null if there is no store. */
  readonly grants: GrantStore | null;
  readonly confirm: ConfirmHandler | undefined;
  readonly role: string;
  /** The last block of the system prompt; empty for the turn that the user sent. */
  readonly lastLine: string;
  readonly context: readonly ContextSource[];
  readonly limits: Limits;
  /** Whether a turn whose model failed waits, instead of being rolled back: the option `onModelFailure`. */
  readonly waitsForModel: boolean;
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
  /** The agent that runs the turn; undefined for the turn that the user sent. */
  readonly agent: AgentRef | undefined;
  readonly input: Message;
  /** Where the input comes from; undefined if the user wrote it. */
  readonly from?: MessageSource | undefined;
  /** The id of the previous turn in the conversation; null for the first turn. */
  readonly parentId: string | null;
  /** The id of the turn that this turn repeats. */
  readonly retryOf: string | undefined;
  /** The options that were given for this turn. */
  readonly options: TurnOptions | undefined;
  /** The output that `generate` requested; undefined for any other turn. */
  readonly structured: StructuredOutput | undefined;
  readonly settings: TurnSettings;
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

/** A call whose executor has not returned. */
export interface RunningCall {
  readonly item: UndoItem;
  /** Returns the effects that the call has recorded until now; absent if an earlier session called the executor. */
  record?(): CallRecord;
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
interface PutDownTurn {
  readonly id: string;
  readonly transaction: OpenTransaction;
  readonly running: Map<string, RunningCall>;
}

/** What a turn uses of its session apart from emitting facts. */
export interface TurnHost {
  /** Returns the tools for the next turn. */
  tools(): ToolRegistry;
  /** Returns the record of the turn that the user sent, with its child turns; null if none runs. It must not be kept. */
  liveTurn(): TurnRecord | null;
  /** Returns the current modes of the session. */
  modes(): readonly Mode[];
  /** The session for which approvals are remembered: the id of its log. Without a log it is null until an approval needs it. */
  id: string | null;
  /**
   * Emits a fact of the session: a tool returned after its call was aborted, an effect moved after the end of its turn, the
   * permissions of the user have changed, or a child turn ends without a message that was to join it.
   */
  emit(fact: LateToolSettled | EndedEffectMoved | ConsentOperation | Dequeued): void;
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
  putDown: PutDownTurn | null;
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
