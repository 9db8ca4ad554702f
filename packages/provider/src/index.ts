// Everything that an adapter to a model API needs. It imports no package, so that an app without an agent can use a provider alone.
export type { JsonArray, JsonObject, JsonValue } from './json/json.js';
export { isJsonObject } from './json/json.js';
export { indented } from './messages/foreign-text.js';
export { wellFormed } from './json/well-formed.js';
export { strictParse, type StrictParseResult } from './json/strict-parse.js';
export {
  AgentSessionError,
  isAgentSessionError,
  type ErrorCode,
  type ErrorData,
  type ErrorOptions,
  type RetryHint,
} from './errors/agent-session-error.js';
export { monotonicTime, systemClock, type Clock } from './port/clock.js';
export { sentence } from './errors/sentence.js';
export { messageOf, toSessionError } from './errors/to-session-error.js';
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
} from './messages/content.js';
export type { ToolChoice, ToolChoiceKind } from './messages/tool-choice.js';
export { textOf, toolCallsOf, type Conversation, type Message } from './messages/message.js';
export { totalTokensOf } from './messages/usage-amounts.js';
export { addUsage, type Cost, type UsageReport } from './messages/usage-report.js';
export type {
  Provider,
  ProviderCapabilities,
  ProviderFallback,
  ProviderRequest,
  SchemaWarning,
  OutputFormat,
  ToolDefinition,
} from './port/provider.js';
export type { FinishReason, ProviderEvent } from './port/provider-event.js';
export { costOf, withPrice, type ModelPrice } from './port/with-price.js';
export { withFallback, type FallbackOptions, type TrippedProvider } from './fallback/with-fallback.js';
export type { BreakerOptions, Failure } from './fallback/circuit-breaker.js';
export type { RateLimit } from './fallback/rate-limiter.js';
export { identityOf } from './port/identity-of.js';
export type { ModelIdentity } from './messages/model-identity.js';
export { readableMessages } from './messages/unreadable-parts.js';
export { createWireNames, type WireNames } from './port/wire-names.js';
export { wireCallIds } from './port/wire-call-ids.js';
export type { AttachedFile, Attachment, Attachments, FileData, FileInput } from './messages/attachment.js';
export type { AttachedInput, ImageInput, Input } from './messages/message.js';
export type { Totals } from './messages/usage-report.js';
