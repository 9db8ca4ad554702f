import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import type { ExtendableLimit } from '../extension/extension-operations.js';
import type { Limits } from './limits.js';
import { withNoun } from './with-noun.js';

/** A tripped limit of which the user can give more. */
export interface Trip {
  readonly limit: ExtendableLimit;
  readonly spent: number;
  /** The limit including its extensions. */
  readonly allowed: number;
  /** Present for a limit of cost, if the provider reports the currency. */
  readonly currency?: string | undefined;
}

interface TripError {
  readonly code: AgentSessionError['code'];
  message(allowed: number, currency: string): string;
  /** Present if another limit has the same code. */
  readonly of?: string;
}

const tripErrors: { readonly [Limit in ExtendableLimit]: TripError } = {
  maxRounds: {
    code: 'max-rounds',
    message: (allowed) => `The turn reached its limit of ${withNoun(allowed, 'round')}.`,
  },
  maxToolCalls: {
    code: 'max-tool-calls',
    message: (allowed) => `The turn reached its limit of ${withNoun(allowed, 'tool call')}.`,
  },
  timeoutMs: {
    code: 'timeout',
    message: (allowed) => `The turn took longer than ${withNoun(allowed / 1000, 'second')}.`,
  },
  maxThinkingMs: {
    code: 'timeout',
    message: (allowed) => `The model thought for longer than ${withNoun(allowed / 1000, 'second')}.`,
    of: 'thinking',
  },
  maxTokens: {
    code: 'token-budget',
    message: (allowed) => `The turn used more than its ${withNoun(allowed, 'token')}.`,
  },
  maxCost: {
    code: 'cost-budget',
    message: (allowed, currency) => `The turn cost more than its ${allowed} ${currency}.`,
  },
  'session.maxTokens': {
    code: 'token-budget',
    message: (allowed) => `The session used its ${withNoun(allowed, 'token')}.`,
    of: 'session',
  },
  'session.maxCost': {
    code: 'cost-budget',
    message: (allowed, currency) => `The session cost its ${allowed} ${currency}.`,
    of: 'session',
  },
};

/** Returns the error with which a turn ends if it gets no more of a limit. Its details have the limit. */
export function tripError({ limit, allowed, currency }: Omit<Trip, 'spent'>): AgentSessionError {
  const { code, message, of } = tripErrors[limit];
  return new AgentSessionError(code, message(allowed, currency ?? ''), {
    details: defined({ limit: allowed, of, currency }),
  });
}

/** Returns a limit as it was given, without extensions. */
export function givenLimit(limits: Limits, limit: ExtendableLimit): number {
  if (limit === 'session.maxTokens') return limits.session.maxTokens;
  return limit === 'session.maxCost' ? limits.session.maxCost : limits[limit];
}
