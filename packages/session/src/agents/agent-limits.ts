import { only, optional, positive, reader, type Read } from '@banister/provider/internal/json/shape';
import type { AgentLimits } from '../tools/run.js';

const fromZero = reader(
  (value): value is number => typeof value === 'number' && value >= 0,
  'it is no number from 0 on',
);

/** The shape of the limits of an agent, and of a run of an agent. */
export const agentLimitsShape = only({
  maxRounds: optional(positive),
  maxToolCalls: optional(fromZero),
  timeoutMs: optional(positive),
  maxThinkingMs: optional(positive),
  maxTokens: optional(positive),
  maxTokensPerRound: optional(positive),
  maxCost: optional(positive),
} satisfies Record<keyof AgentLimits, Read>);
