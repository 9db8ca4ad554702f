export { gateway } from './gateway.js';
export type { GatewayHandler } from './gateway-parts.js';
export type {
  AnswerReport,
  Authorize,
  Authorized,
  GatewayError,
  GatewayOptions,
  LogEntry,
} from './gateway-options.js';
export type { AgentPolicy, Ceiling, CostCeiling, Policy, Span } from './policy.js';
export type { QuotaClaim, QuotaStore, Reservation, Reserved } from './quota-store.js';
export { memoryQuotas } from './memory-quotas.js';
export type { AnswerRequest } from './answer-request.js';
export type { AnswerLine } from './answer-format.js';
