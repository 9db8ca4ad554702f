// The entry `@banister/session/provider`: everything that an adapter to a model API needs. It imports neither rxjs nor signals, so that an
// app without an agent can use a provider alone.
export type { JsonArray, JsonObject, JsonValue } from '../json/json.js';
export { isJsonObject } from '../json/json.js';
export { indented } from '../conversation/foreign-text.js';
export { wellFormed } from '../json/well-formed.js';
export { strictParse, type StrictParseResult } from '../json/strict-parse.js';
export {
  AgentSessionError,
  isAgentSessionError,
  type ErrorCode,
  type ErrorData,
  type ErrorOptions,
  type RetryHint,
} from '../errors/agent-session-error.js';
export { monotonicTime, systemClock, type Clock } from '../ports/clock.js';
export { sentence } from '../errors/sentence.js';
export { messageOf, toSessionError } from '../errors/to-session-error.js';
export {
  isErrorOutcome,
  type AttachmentPart,
  type ContentPart,
  type FilePart,
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
} from '../conversation/content.js';
export type { ToolChoice, ToolChoiceKind } from '../conversation/tool-choice.js';
export { textOf, toolCallsOf, type Conversation, type Message } from '../conversation/message.js';
export { totalTokensOf } from '../conversation/usage-amounts.js';
export { addUsage, type Cost, type UsageReport } from '../conversation/usage-report.js';
export type {
  Provider,
  ProviderCapabilities,
  ProviderFallback,
  ProviderRequest,
  SchemaWarning,
  OutputFormat,
  ToolDefinition,
} from './provider.js';
export type { FinishReason, ProviderEvent } from './provider-event.js';
export { costOf, withPrice, type ModelPrice } from './with-price.js';
export { withFallback, type FallbackOptions, type TrippedProvider } from './fallback/with-fallback.js';
export type { BreakerOptions, Failure } from './fallback/circuit-breaker.js';
export type { RateLimit } from './fallback/rate-limiter.js';
export { identityOf } from './identity-of.js';
export type { ModelIdentity } from '../conversation/model-identity.js';
export { readableMessages } from '../conversation/unreadable-parts.js';
export { createWireNames, type WireNames } from './wire-names.js';
export { wireCallIds } from './wire-call-ids.js';
