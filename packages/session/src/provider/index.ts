// The entry `@handrail/session/provider`: everything that an adapter to a model API needs. It reaches neither rxjs nor
// signals, so that an app without an agent can use a provider alone.
export type { JsonArray, JsonObject, JsonValue } from '../json/json.js';
export { isJsonObject } from '../json/json.js';
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
export { systemClock, type Clock } from '../ports/clock.js';
export { messageOf, toSessionError } from '../errors/to-session-error.js';
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
} from '../conversation/content.js';
export { textOf, toolCallsOf, type Conversation, type Message } from '../conversation/message.js';
export { addUsage, totalTokensOf, type Cost, type UsageReport } from '../conversation/usage-report.js';
export type {
  Provider,
  ProviderCapabilities,
  ProviderRequest,
  SchemaWarning,
  ToolDefinition,
} from './provider.js';
export type { FinishReason, ProviderEvent } from './provider-event.js';
export { costOf, withPrice, type ModelPrice } from './with-price.js';
export { createWireNames, type WireNames } from './wire-names.js';
export { wireCallIds } from './wire-call-ids.js';
