// The public entry. Further entries: `./binding`, for bindings to view frameworks;
// `./follow`, for transports to a session that runs elsewhere; `./export`, a conversation as a document. All other files are internal.
export { createAgentSession } from './session/create-agent-session.js';
export type {
  AgentSession,
  CancelOptions,
  CancelReport,
  DisposeOptions,
  EnqueueOptions,
  GenerateOptions,
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
  ListQuery,
  AppendOptions,
  LogChannel,
  LogRecord,
  SessionLog,
} from './session/session-log.js';
export { preloadTurns, type PreloadOptions } from './session/preload-code.js';
export { textPieces, type TextPiece } from './session/text-pieces.js';
export { importedState } from './session/imported-state.js';
export { readLog } from './session/read-log.js';
export { savedState } from './session/saved-state.js';
export type { ReadLog } from './session/read-records.js';
export { createMirror, type Mirror, type MirrorOptions } from './session/create-mirror.js';

// Exported so that apps import signals from here: tracking works only within one copy of signals-core.
export { batch, computed, effect, signal, untracked, type ReadonlySignal } from './signals/signals-core.js';
export type { Confirmation, Extension, Signals } from './signals/projection.js';

export { defineDomain, type Domain } from './tools/domain.js';
export {
  defineTool,
  type Arguments,
  type Capability,
  type EffectData,
  type EffectPaths,
  type EffectValues,
  type LibrarySchema,
  type RevertByData,
  type Recovered,
  type RecoverContext,
  type RevertContext,
  type Revision,
  type Tool,
  type PreviewContext,
  type ToolContext,
  type ToolSchema,
  type ToolUndo,
  type WrittenArguments,
} from './tools/tool.js';
export {
  callOf,
  callOfEffect,
  type AsJson,
  type CheckedCall,
  type ReportedProgress,
  type ReturnedValue,
  type ToolShape,
  type TypedCall,
} from './tools/call-of.js';
export { outputOf, type TypedOutput } from './tools/output-of.js';
export type { Partially } from './tools/typed-part.js';
export {
  confirmationOf,
  type TypedApproveOptions,
  type TypedConfirmation,
} from './session/confirmation-of.js';
export {
  conflict,
  denied,
  failed,
  isToolOutcome,
  stop,
  success,
  type ForUser,
  type ToolOutcome,
} from './tools/tool-outcome.js';

export { defineGuard, type DecideCall, type Guard, type GuardedCall, type Verdict } from './guards/guard.js';
export { confirmCapabilities, confirmTools, denyCapabilities, denyTools } from './guards/built-in-guards.js';
export type {
  ApproveOptions,
  Decision,
  ExtensionDecision,
  PreviewOutcome,
  RespondOutcome,
} from './guards/decision.js';
export type { GrantStore } from './guards/grant-store.js';
export type { Mode } from './guards/mode.js';
export type { Grant, Remember } from './operations/consent-operations.js';
export type { ConfirmHandler } from './turn/turn-request.js';

export {
  stagedDiscovery,
  type StagedDiscovery,
  type StagedDiscoveryOptions,
} from './discovery/staged-discovery.js';
export { contentFilter, type ContentFilterOptions, type SecretText } from './middleware/content-filter.js';
export { outputGuard, type OutputGuardOptions } from './middleware/output-guard.js';
export type {
  AnswerVerdict,
  CallVerdict,
  FinishedTurn,
  FinishedTurnVerdict,
  HookContext,
  Middleware,
  ModelAnswer,
  ToolAnswer,
  ToolError,
  ToolErrorVerdict,
  ToolResultVerdict,
} from './middleware/middleware.js';

export { compaction, type CompactionOptions, type CompactionSetting } from './compaction/compaction.js';
export type { Compaction, ContextSteps } from './conversation/compaction.js';

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

export {
  defaultLimits,
  type GivenLimits,
  type GivenTurnLimits,
  type Limits,
  type SessionLimits,
} from './limits/limits.js';
export {
  cached,
  type CachedPolicy,
  type ContextPolicy,
  type ContextSource,
} from './context/context-source.js';

export { apply, fold } from './state/apply.js';
export type { Branch, Branches } from './state/branches.js';
export { fromStored } from './state/from-stored.js';
export { initialState } from './state/initial-state.js';
export type {
  Interruption,
  PendingRetry,
  PendingReview,
  Phase,
  QueueItem,
  SessionState,
  UndoTurn,
} from './state/session-state.js';

export { isTerminal, type Operation, type OperationOf, type OperationType } from './operations/operation.js';
export { accumulateToolCalls, type AccumulatedToolCall } from './operations/accumulate-tool-calls.js';
export { toStored } from './operations/to-stored.js';
export type { Budget, BudgetLine } from './operations/budget.js';
export type {
  AskReason,
  CallPreview,
  ConfirmationAttended,
  ConfirmationRequest,
  DigestedPreview,
  PreviewFailure,
  PreviewRenewed,
  ToolCall,
} from './operations/confirmation-operations.js';
export type { ExtendableLimit, ExtensionRequest } from './operations/extension-operations.js';
export type {
  AnswerWithheld,
  HookName,
  MiddlewareAct,
  MiddlewareActed,
} from './operations/middleware-operations.js';
export type { DomainsActivated } from './operations/discovery-operations.js';
export type { OutputAccepted, OutputArrived, OutputRejected } from './operations/structured-operations.js';
export type {
  RejectStarted,
  ReviewAccepted,
  ReviewedChange,
  ReviewedEffect,
  ReviewOpened,
  ReviewRejected,
} from './operations/review-operations.js';
export type { RejectedCall, RequestedCall } from './operations/tool-operations.js';
export type { ContextDiagnostic, DomainNote } from './operations/turn-operations.js';

export type { SavedConversation } from './conversation/saved-conversation.js';
export { SAVED_VERSION } from './conversation/saved-version.js';
export type { PartReference, SavedMessage, SavedTurn } from './conversation/saved-turn.js';
export type { Mark } from './conversation/turn-tree.js';
export type { CallEffects, EffectStepData, TurnUndo } from './conversation/turn-undo.js';
export { readImage } from './conversation/read-image.js';
export type { AttachedFile, Attachment, Attachments, FileData, FileInput } from '@banister/provider';
export type { AttachedInput, ImageInput, Input } from '@banister/provider';
export {
  callsOf,
  type LateSettlement,
  type RoundRecord,
  type StayingEffect,
  type SteeringPart,
  type StopReason,
  type StructuredOutput,
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
export type { EffectFailure, FailureReason } from './conversation/failure-reason.js';

export type { Clock } from '@banister/provider';
export type { Journal } from './ports/journal.js';
export type { GivenPorts, Ids, Ports } from './ports/ports.js';
export { frames, immediate, type PublishScheduler } from './ports/publish-scheduler.js';
export type { SchemaValidator, Validate, ValidationIssue } from '@banister/schema';

// The exports of `@banister/provider` that apps need. Helpers for adapters are only in that package.
export { isJsonObject } from '@banister/provider/internal/json/json';
export type { JsonArray, JsonObject, JsonValue } from '@banister/provider';
export {
  AgentSessionError,
  isAgentSessionError,
} from '@banister/provider/internal/errors/agent-session-error';
export type { ErrorCode, ErrorData, RetryHint } from '@banister/provider';
export { sentence } from '@banister/provider/internal/errors/sentence';
export { messageOf } from '@banister/provider/internal/errors/to-session-error';
export { isErrorOutcome } from '@banister/provider/internal/messages/content';
export type {
  AttachmentPart,
  ContentPart,
  FilePart,
  ImagePart,
  JsonPart,
  MessagePart,
  OpaquePart,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResult,
  ToolResultOutcome,
  ToolResultPart,
} from '@banister/provider';
export type { ToolChoice, ToolChoiceKind } from '@banister/provider';
export { textOf, toolCallsOf } from '@banister/provider/internal/messages/message';
export type { Conversation, Message } from '@banister/provider';
export { totalTokensOf } from '@banister/provider/internal/messages/usage-amounts';
export type { Cost, Totals, UsageReport } from '@banister/provider';
export type {
  OutputFormat,
  Provider,
  ProviderCapabilities,
  ProviderRequest,
  SchemaWarning,
  ToolDefinition,
} from '@banister/provider';
export type { FinishReason, ProviderEvent } from '@banister/provider';
export { withFallback } from '@banister/provider/internal/fallback/with-fallback';
export type { FallbackOptions, TrippedProvider } from '@banister/provider';
export type { BreakerOptions, Failure } from '@banister/provider';
export type { RateLimit } from '@banister/provider';
export type { ModelIdentity } from '@banister/provider';
export { costOf, withPrice } from '@banister/provider/internal/port/with-price';
export type { ModelPrice } from '@banister/provider';
