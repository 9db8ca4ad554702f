import type { ContextSource } from '../context/context-source.js';
import type { Message } from '../conversation/message.js';
import type { TurnOptions } from '../conversation/turn-record.js';
import type { AgentSessionError, ErrorData } from '../errors/agent-session-error.js';
import type { ConfirmationDesk, Decision } from '../guards/confirmation.js';
import type { Guard } from '../guards/guard.js';
import type { Limits } from '../limits/limits.js';
import type { ConfirmationRequest } from '../operations/confirmation-operations.js';
import type { EndedEffectMoved, LateToolSettled } from '../operations/session-operations.js';
import type { Ports } from '../ports/ports.js';
import type { Provider } from '../provider/provider.js';
import type { FoldState, SessionState } from '../state/session-state.js';
import type { ArgumentChecker } from '../tools/argument-checker.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { Revisions } from '../undo/revisions.js';
import type { UndoProvider } from '../undo/undo-provider.js';
import type { UndoStack } from '../undo/undo-stack.js';
import type { Cancellation } from './cancellation.js';

/**
 * Answers confirmations in code: the option `confirm` of a session. Its signal fires when the turn ends first. A handler that
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
  readonly confirm: ConfirmHandler | undefined;
  readonly role: string;
  readonly context: readonly ContextSource[];
  readonly limits: Limits;
}

/** The request for a turn, with the parts that exist before the code of `turn/` is loaded. */
export interface TurnRequest {
  readonly id: string;
  readonly input: Message;
  /** The id of the turn before it in the conversation; null for the first one. */
  readonly parentId: string | null;
  /** The id of the turn that this one repeats. */
  readonly retryOf: string | undefined;
  /** The options that were given for this turn. */
  readonly options: TurnOptions | undefined;
  readonly settings: TurnSettings;
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
  /** Is called when a tool returned after its call was cut. */
  lateToolSettled(fact: LateToolSettled): void;
  /** Is called when an effect of the turn was taken back or made again after the turn had ended, or the attempt failed. */
  effectMoved(fact: EndedEffectMoved): void;
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
  /** The desk with the open confirmations of the newest turn; null until the first turn creates its own. */
  desk: ConfirmationDesk | null;
}

/** The objects that the turns of a session share. */
export interface SharedParts {
  readonly arguments: ArgumentChecker;
  /** The committed turns that can be undone and redone. */
  readonly undoStack: UndoStack;
  /** Reads the revisions of all domains. */
  readRevisions(): Revisions;
}
