// The public entry. Further entries: `./provider`, for adapters to model APIs; `./binding`, for bindings to view frameworks;
// `./order`, the checker of operation streams; `./follow`, for transports to a session that runs elsewhere. All other files are internal.
export { createAgentSession } from './session/create-agent-session.js';
export type {
  AgentSession,
  CancelOptions,
  CancelReport,
  DisposeOptions,
  EnqueueOptions,
  LeaveOptions,
  LocalAgentSession,
  QueueChange,
  RegenerateOptions,
  SwitchOptions,
  SendOptions,
  TurnResult,
  UndoOptions,
} from './session/agent-session.js';
export type { SessionChanges, SessionOptions } from './session/session-options.js';
export type {
  ClaimOptions,
  Lease,
  Link,
  ListedSession,
  LoadedLog,
  LogChannel,
  LogRecord,
  SessionLog,
} from './session/session-log.js';
export { preloadTurns, type PreloadOptions } from './session/preload-code.js';
export { textPieces, type TextPiece } from './session/text-pieces.js';
export { readLog, type ReadLog } from './session/read-log.js';
export { createMirror, type Mirror, type MirrorOptions } from './session/create-mirror.js';

// Exported so that apps import signals from here: tracking works within one copy of signals-core only.
export { batch, computed, effect, signal, untracked, type ReadonlySignal } from './signals/signals-core.js';
export type { Confirmation, Signals } from './signals/projection.js';

export { defineDomain, type Domain } from './tools/domain.js';
export {
  defineTool,
  type Arguments,
  type Capability,
  type EffectData,
  type LibrarySchema,
  type RevertByData,
  type RevertContext,
  type Revision,
  type Tool,
  type ToolContext,
  type ToolSchema,
  type ToolUndo,
  type WrittenArguments,
} from './tools/tool.js';
export { callOf, type AsJson, type Partially, type ReturnedValue, type TypedCall } from './tools/call-of.js';
export {
  conflict,
  denied,
  failed,
  isToolOutcome,
  stop,
  success,
  type ToolOutcome,
} from './tools/tool-outcome.js';

export { defineGuard, type DecideCall, type Guard, type GuardedCall, type Verdict } from './guards/guard.js';
export { confirmCapabilities, confirmTools, denyTools } from './guards/built-in-guards.js';
export type { Decision, RespondOutcome } from './guards/confirmation.js';
export type { ConfirmHandler } from './turn/turn-request.js';

export { contentRevision } from './undo/content-revision.js';
export type { BranchObstacle } from './undo/branch-plan.js';
export { UndoHistory } from './undo/undo-history.js';
export type {
  CommittedEffects,
  HistoryReport,
  UndoEntry,
  UndoProvider,
  UndoTransaction,
} from './undo/undo-provider.js';

export { defaultLimits, type GivenLimits, type Limits } from './limits/limits.js';
export type { ContextSource } from './context/context-source.js';

export { apply, fold } from './state/apply.js';
export type { Branch, Branches } from './state/branches.js';
export { fromStored } from './state/from-stored.js';
export {
  initialState,
  type Interruption,
  type Phase,
  type QueueItem,
  type SessionState,
  type UndoTurn,
} from './state/session-state.js';

export { isTerminal, type Operation, type OperationOf, type OperationType } from './operations/operation.js';
export { accumulateToolCalls, type AccumulatedToolCall } from './operations/accumulate-tool-calls.js';
export { toStored } from './operations/stored.js';
export type { Budget, BudgetLine } from './operations/budget.js';
export type { ConfirmationRequest, ToolCall } from './operations/confirmation-operations.js';
export type { RejectedCall, RequestedCall } from './operations/tool-operations.js';
export type { ContextDiagnostic } from './operations/turn-operations.js';

export { SAVED_VERSION, type SavedConversation } from './conversation/saved-conversation.js';
export type { PartReference, SavedMessage, SavedTurn } from './conversation/saved-turn.js';
export type { Mark } from './conversation/turn-tree.js';
export type { CallEffects, EffectStepData, TurnUndo } from './conversation/turn-undo.js';
export { readImage } from './conversation/read-image.js';
export type { ImageInput, Input } from './conversation/message.js';
export {
  callsOf,
  type LateSettlement,
  type RoundRecord,
  type StayingEffect,
  type SteeringPart,
  type StopReason,
  type RejectionReason,
  type ToolCallView,
  type TurnOptions,
  type TurnOutcome,
  type TurnPart,
  type TurnRecord,
  type TurnStatus,
  type UndoItem,
  type UndoReport,
  type UndoState,
} from './conversation/turn-record.js';

export type { Clock } from './ports/clock.js';
export type { Journal } from './ports/journal.js';
export type { GivenPorts, Ids, Ports } from './ports/ports.js';
export { frames, immediate, type PublishScheduler } from './ports/publish-scheduler.js';
export type { SchemaValidator, Validate, ValidationIssue } from './ports/schema-validator.js';

// The exports of `./provider` that apps need; helpers for adapters are in that entry only.
export { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from './json/json.js';
export {
  AgentSessionError,
  isAgentSessionError,
  type ErrorCode,
  type ErrorData,
  type RetryHint,
} from './errors/agent-session-error.js';
export { messageOf } from './errors/to-session-error.js';
export {
  isErrorOutcome,
  type ContentPart,
  type ImagePart,
  type JsonPart,
  type MessagePart,
  type OpaquePart,
  type TextPart,
  type ThinkingPart,
  type ToolCallPart,
  type ToolResult,
  type ToolResultOutcome,
  type ToolResultPart,
} from './conversation/content.js';
export { textOf, toolCallsOf, type Conversation, type Message } from './conversation/message.js';
export { totalTokensOf, type Cost, type UsageReport } from './conversation/usage-report.js';
export type {
  Provider,
  ProviderCapabilities,
  ProviderRequest,
  SchemaWarning,
  ToolDefinition,
} from './provider/provider.js';
export type { FinishReason, ProviderEvent } from './provider/provider-event.js';
export { costOf, withPrice, type ModelPrice } from './provider/with-price.js';
