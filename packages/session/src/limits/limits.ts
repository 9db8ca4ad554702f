import { checked } from '../errors/checked.js';
import { defined } from '../json/defined.js';
import type { JsonObject } from '../json/json.js';
import { oneOf, only, optional, positive, reader } from '../json/shape.js';
import { budgetLine, type Budget } from '../operations/budget.js';

/**
 * The limits of a turn. Counters start at zero with each turn; `Infinity` lifts a limit. By default rounds, tool calls and time are
 * bounded.
 *
 * @example
 * createAgentSession({ provider, limits: { maxRounds: 20, timeoutMs: 300_000, onTrip: 'stop' } });
 */
export interface Limits {
  /** Provider round trips. Default 8. */
  readonly maxRounds: number;
  /** Executor starts. Default 12. */
  readonly maxToolCalls: number;
  /** Tool calls in one answer, whether they run or not; one more ends the answer while it streams. Default 128. */
  readonly maxCallsPerAnswer: number;
  /** Calls of tools that are `readOnly` or `parallel` that run side by side. Default 8. */
  readonly maxConcurrentTools: number;
  /** The whole turn, in milliseconds; the clock stops while the user is asked. Default 60,000. */
  readonly timeoutMs: number;
  /** The time of a confirmation request, after which it counts as denied, in milliseconds. Default 45,000. */
  readonly confirmationTimeoutMs: number;
  /** One tool call, in milliseconds, where the tool sets no time of its own. Default 30,000. */
  readonly toolTimeoutMs: number;
  /** One context source, in milliseconds. Default 2,000. */
  readonly contextTimeoutMs: number;
  /** One revert, in milliseconds. Default 5,000. */
  readonly revertTimeoutMs: number;
  /** Input and output tokens of the turn, as the provider reports them. Default: no limit. */
  readonly maxTokens: number;
  /** Output tokens of one round; the provider enforces it. Default: none is sent. */
  readonly maxTokensPerRound: number;
  /** Money of the turn, in the currency that the provider reports. Default: no limit. */
  readonly maxCost: number;
  /** Further attempts at a request that failed before anything of its answer was visible. Default 3. */
  readonly maxRetries: number;
  /** The end of a turn whose limit tripped: `fail` rolls it back, `stop` commits its effects so far. Default `fail`. */
  readonly onTrip: 'fail' | 'stop';
}

/** Some of the limits; one that is undefined counts as not given. */
export type GivenLimits = { readonly [Name in keyof Limits]?: Limits[Name] | undefined };

/** The limits of a session that sets none. */
export const defaultLimits: Limits = {
  maxRounds: 8,
  maxToolCalls: 12,
  maxCallsPerAnswer: 128,
  maxConcurrentTools: 8,
  timeoutMs: 60_000,
  confirmationTimeoutMs: 45_000,
  toolTimeoutMs: 30_000,
  contextTimeoutMs: 2_000,
  revertTimeoutMs: 5_000,
  maxTokens: Infinity,
  maxTokensPerRound: Infinity,
  maxCost: Infinity,
  maxRetries: 3,
  onTrip: 'fail',
};

/** The limits that may be 0; the others must be above it. */
const notNegative = reader(
  (value): value is number => typeof value === 'number' && value >= 0,
  'it is no number from 0 on',
);

const limitsShape = only({
  ...Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, optional(positive)])),
  maxRetries: optional(notNegative),
  maxToolCalls: optional(notNegative),
  onTrip: optional(oneOf('fail', 'stop')),
});

/** Returns the default limits, overwritten by the given ones in order. Throws `invalid-configuration`, naming the limit. */
export function resolveLimits(...given: readonly (GivenLimits | undefined)[]): Limits {
  const layers = given.map((one) => defined(checked(limitsShape, one ?? {}, 'The limits') as GivenLimits));
  return Object.assign({}, defaultLimits, ...layers) as Limits;
}

/** Returns the limits as JSON; those of Infinity are left out. */
export function limitsData(limits: Limits): JsonObject {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== Infinity)) as JsonObject;
}

/** Returns the budget of a turn that has spent nothing. */
export function untouchedBudget(limits: Limits): Budget {
  return {
    rounds: budgetLine(0, limits.maxRounds),
    toolCalls: budgetLine(0, limits.maxToolCalls),
    timeMs: budgetLine(0, limits.timeoutMs),
    tokens: budgetLine(0, limits.maxTokens),
    cost: budgetLine(0, limits.maxCost),
  };
}
