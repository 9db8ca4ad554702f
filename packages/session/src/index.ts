// The public entry: what most apps need. `entries/` and the other entries of the manifest have the rest, and `@banister/provider` what is below a
// session: messages, usage, fallbacks. All other files are internal.
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
export type { SessionLog } from './log/session-log.js';
export { preloadTurns, type PreloadOptions } from './session/preload-code.js';
export { importedState } from './session/imported-state.js';
export { createMirror, type Mirror, type MirrorOptions } from './session/create-mirror.js';

// For a page without a binding; the entry `./signals` has the other functions.
export { effect } from './signals/signals-core.js';
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
  type AsJson,
  type CheckedCall,
  type ReportedProgress,
  type ReturnedValue,
  type ToolShape,
  type TypedCall,
} from './tools/call-of.js';
export type { Partially } from './tools/typed-part.js';
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

export type { Agent } from './agents/agent.js';
export { defineAgent } from './agents/define-agent.js';
export type { RunResult } from './tools/run.js';

export {
  defineGuard,
  type DecideCall,
  type Guard,
  type GuardContext,
  type GuardedCall,
  type Verdict,
} from './guards/guard.js';
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
export type { Grant, Remember } from './consent/consent-operations.js';
export type { ConfirmHandler } from './turn/turn-request.js';

export {
  stagedDiscovery,
  type StagedDiscovery,
  type StagedDiscoveryOptions,
} from './discovery/staged-discovery.js';
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

export type { Branch, Branches } from './state/branches.js';
export type {
  Interruption,
  PendingRetry,
  PendingReview,
  Phase,
  QueueItem,
  SessionState,
  UndoTurn,
} from './state/session-state.js';

export type { Operation, OperationOf, OperationType } from './operations/operation.js';
export type { Budget, BudgetLine } from './operations/budget.js';
export type { CallPreview, ConfirmationRequest, ToolCall } from './consent/confirmation-operations.js';
export type { ExtendableLimit, ExtensionRequest } from './extension/extension-operations.js';
export type { ReviewedChange, ReviewedEffect } from './review/review-operations.js';

export type { SavedConversation } from './conversation/saved-conversation.js';
export { SAVED_VERSION } from './conversation/saved-version.js';
export type { PartReference, SavedMessage, SavedTurn } from './conversation/saved-turn.js';
export type { Mark } from './conversation/turn-tree.js';
export type { CallEffects, EffectStepData, TurnUndo } from './conversation/turn-undo.js';
export {
  allCallsOf,
  callsOf,
  type ChildTurn,
  type LateSettlement,
  type RoundRecord,
  type StayingEffect,
  type SteeringPart,
  type StopReason,
  type StructuredOutput,
  type RejectionReason,
  type ToolCallView,
  type MessageSource,
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

export type { Journal } from './ports/journal.js';
export type { MemoryItem, MemorySource, MemoryStore } from './ports/memory-store.js';
export type { GivenPorts, Ids, Ports } from './ports/ports.js';
export { frames, immediate, type PublishScheduler } from './ports/publish-scheduler.js';
export type { SchemaValidator, ValidationIssue } from '@banister/schema';

// The exports of `@banister/provider` that most apps need.
export type {
  AttachedInput,
  Attachment,
  Attachments,
  ErrorCode,
  ErrorData,
  FileInput,
  ImageInput,
  Input,
  JsonObject,
  JsonValue,
  Message,
  Provider,
  RetryHint,
  ToolChoice,
} from '@banister/provider';
export {
  AgentSessionError,
  isAgentSessionError,
} from '@banister/provider/internal/errors/agent-session-error';
export { textOf } from '@banister/provider/internal/messages/message';
