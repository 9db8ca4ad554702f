// The entry `@banister/session/operations`: the operations of a session, and their fold.
export { apply } from '../state/apply.js';
export { fold } from '../state/fold.js';
export { fromStored } from '../state/from-stored.js';
export { initialState } from '../state/initial-state.js';
export { isTerminal } from '../operations/operation.js';
export { accumulateToolCalls, type AccumulatedToolCall } from '../operations/accumulate-tool-calls.js';
export { toStored } from '../operations/to-stored.js';
export type {
  AskReason,
  ConfirmationAttended,
  DigestedPreview,
  PreviewFailure,
  PreviewRenewed,
} from '../consent/confirmation-operations.js';
export type {
  AnswerWithheld,
  HookName,
  MiddlewareAct,
  MiddlewareActed,
} from '../middleware/middleware-operations.js';
export type { DomainsActivated } from '../discovery/discovery-operations.js';
export type { OutputAccepted, OutputArrived, OutputRejected } from '../structured/structured-operations.js';
export type {
  RejectStarted,
  ReviewAccepted,
  ReviewOpened,
  ReviewRejected,
} from '../review/review-operations.js';
export type { RejectedCall, RequestedCall } from '../operations/tool-operations.js';
export type { ContextDiagnostic, DomainNote } from '../operations/turn-operations.js';
export type { AgentRef } from '../conversation/agent-ref.js';
export { childrenOf, findChild } from '../conversation/child-turns.js';
export { usageByAgent, type AgentUsage } from '../conversation/usage-by-agent.js';
export type { UndoGroup } from '../state/session-state.js';
export type { AgentLimits, RunOptions } from '../tools/run.js';
export type { SteerOptions } from '../session/agent-session.js';
