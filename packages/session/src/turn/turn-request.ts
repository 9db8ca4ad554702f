import type { ContextSource } from '../context/context-source.js';
import type { Message } from '../conversation/message.js';
import type { AgentSessionError, ErrorData } from '../errors/agent-session-error.js';
import type { Decision } from '../guards/confirmation.js';
import type { Guard } from '../guards/guard.js';
import type { Limits } from '../limits/limits.js';
import type { ConfirmationRequest } from '../operations/confirmation-operations.js';
import type { LateToolSettled } from '../operations/session-operations.js';
import type { Ports } from '../ports/ports.js';
import type { Provider } from '../provider/provider.js';
import type { SessionState } from '../state/session-state.js';
import type { ArgumentChecker } from '../tools/argument-checker.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { Revisions } from '../undo/revisions.js';
import type { UndoProvider } from '../undo/undo-provider.js';
import type { UndoStack } from '../undo/undo-stack.js';
import type { Cancellation } from './cancellation.js';

/** Answers confirmations in code. */
export type ConfirmHandler = (
  request: ConfirmationRequest,
  context: { readonly signal: AbortSignal },
) => Decision | Promise<Decision>;

/** The settings of one turn: a snapshot, which `configure` does not change. */
export interface TurnSettings {
  readonly provider: Provider;
  readonly guards: readonly Guard[];
  readonly confirm?: ConfirmHandler;
  readonly role: string;
  readonly context: readonly ContextSource[];
  readonly limits: Limits;
}

/** A turn as the session asks for it: what is known before the code that runs turns is there. */
export interface TurnRequest {
  readonly id: string;
  readonly input: Message;
  readonly retryOf?: string;
  readonly settings: TurnSettings;
  readonly ports: Ports;
  readonly tools: ToolRegistry;
  /** The app's undo history; undefined stands for the built-in one, null for none. */
  readonly history: UndoProvider | null | undefined;
  readonly cancellation: Cancellation;
  /** The folded state, immutable; every fact that a stage emitted is in it. */
  state(): SessionState;
  readonly host: TurnHost;
}

/** The parts of its session that a turn calls beside emitting facts. */
export interface TurnHost {
  readRevisions(): Revisions;
  /** A tool answered after its call was cut. */
  lateToolSettled(fact: LateToolSettled): void;
  /** The turn failed: `data` stands for `error` in the state. */
  failedWith(data: ErrorData, error: AgentSessionError): void;
  /** null until a turn ran: the first one makes it. */
  lasting: LastingParts | null;
}

/** Objects that the turns of a session share. */
export interface LastingParts {
  readonly arguments: ArgumentChecker;
  /** The turns that can be taken back. */
  readonly undoStack: UndoStack;
}
