import type { ContextSource } from '../context/context-source.js';
import type { Message } from '../conversation/message.js';
import type { StopReason, UndoItem } from '../conversation/turn-record.js';
import type { AgentSessionError, ErrorData } from '../errors/agent-session-error.js';
import type { ConfirmationDesk, Decision } from '../guards/confirmation.js';
import type { Guard } from '../guards/guard.js';
import type { Limits } from '../limits/limits.js';
import type { RepeatedCalls } from '../limits/repeated-calls.js';
import type { Spending } from '../limits/spending.js';
import type { TurnClock } from '../limits/turn-clock.js';
import type { ConfirmationRequest } from '../operations/confirmation-operations.js';
import type { LateToolSettled } from '../operations/session-operations.js';
import type { Ports } from '../ports/ports.js';
import type { Provider } from '../provider/provider.js';
import type { SessionState } from '../state/session-state.js';
import type { ArgumentChecker } from '../tools/argument-checker.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { CommittedTurn, TurnTransaction } from '../undo/turn-transaction.js';
import type { Revisions } from '../undo/revisions.js';
import type { Cancellation } from './cancellation.js';
import type { Round } from './round.js';
import type { TurnRevisions } from './turn-revisions.js';

/** Answers confirmations in code. */
export type ConfirmHandler = (
  request: ConfirmationRequest,
  context: { readonly signal: AbortSignal },
) => Decision | Promise<Decision>;

/** The settings that a turn works with: a snapshot, whatever `configure` changes meanwhile. */
export interface TurnSettings {
  readonly provider: Provider;
  readonly guards: readonly Guard[];
  readonly confirm?: ConfirmHandler;
  readonly role: string;
  readonly context: readonly ContextSource[];
  readonly limits: Limits;
}

/** How a turn ends when nothing goes wrong. */
export type Ending = { readonly kind: 'completed' } | { readonly kind: 'stopped'; readonly stop: StopReason };

/** Everything that the stages of one turn share. */
export interface Turn {
  readonly id: string;
  readonly input: Message;
  readonly retryOf?: string;
  readonly settings: TurnSettings;
  readonly ports: Ports;
  readonly tools: ToolRegistry;
  readonly arguments: ArgumentChecker;
  readonly cancellation: Cancellation;
  readonly clock: TurnClock;
  readonly spending: Spending;
  readonly repeated: RepeatedCalls;
  readonly desk: ConfirmationDesk;
  readonly transaction: TurnTransaction;
  readonly revisions: TurnRevisions;
  /** Calls that may change something and have not settled; when the turn ends they are cut. */
  readonly running: Map<string, UndoItem>;
  /** The folded state, immutable; every fact that a stage emitted is in it. */
  state(): SessionState;
  readonly host: TurnHost;
  /** The open round. */
  round: Round | null;
  /** Set by the round that ends the turn. */
  ending: Ending | null;
}

/** What a turn needs of its session beside the stream of facts. */
export interface TurnHost {
  readRevisions(): Revisions;
  /** A tool answered after its call was cut. */
  lateToolSettled(fact: LateToolSettled): void;
  /** The turn's effects are final. */
  committed(turn: Turn, committed: CommittedTurn): void;
  /** The turn failed: `data` stands for `error` in the state. */
  failedWith(data: ErrorData, error: AgentSessionError): void;
  /** The turn's own work moved revisions without leaving an undoable turn. */
  revisionsMoved(from: Revisions, to: Revisions): void;
}
