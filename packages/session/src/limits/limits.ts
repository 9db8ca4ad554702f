import type { JsonObject } from '@banister/provider';
import { checked } from '@banister/provider/internal/errors/checked';
import { defined } from '@banister/provider/internal/json/defined';
import { oneOf, only, optional, positive, reader } from '@banister/provider/internal/json/shape';
import { budgetLine, type Budget } from '../operations/budget.js';
import { warn } from '../ports/warn.js';

/**
 * The limits of a turn. Counters start at zero with each turn; `Infinity` removes a limit. By default, rounds, tool calls and time are
 * limited.
 *
 * @example
 * createAgentSession({ provider, limits: { maxRounds: 20, timeoutMs: 300_000, onTrip: 'stop' } });
 */
export interface Limits {
  /** Rounds, each with one request to the provider. Default 8. */
  readonly maxRounds: number;
  /** The number of executors that are started. Default 12. */
  readonly maxToolCalls: number;
  /** Tool calls in one answer, whether they run or not. One more call ends the answer while it streams. Default 128. */
  readonly maxCallsPerAnswer: number;
  /** The number of calls that run at the same time, of tools that are `readOnly` or `parallel`. Default 8. */
  readonly maxConcurrentTools: number;
  /**
   * The time of the whole turn, in milliseconds. The clock stands still while the user is asked, while only tools with their own
   * `timeoutMs` run, and while the model thinks. Default 60,000.
   */
  readonly timeoutMs: number;
  /**
   * The time for which the model may think in one turn, in milliseconds. It counts from a piece of thinking to the next piece of another
   * kind. Default 300,000.
   */
  readonly maxThinkingMs: number;
  /** The time after which a confirmation request counts as denied, in milliseconds. Default 45,000. */
  readonly confirmationTimeoutMs: number;
  /** The time of one tool call, in milliseconds, if the tool sets none. Default 30,000. */
  readonly toolTimeoutMs: number;
  /** The time of one context source, in milliseconds. Default 2,000. */
  readonly contextTimeoutMs: number;
  /** The time of one hook of a middleware, in milliseconds. Default 5,000. */
  readonly hookTimeoutMs: number;
  /** How many times `afterTurn` of middleware may continue one turn. Default 3. */
  readonly maxContinuations: number;
  /** In how many rounds of one turn the model may activate domains, with `stagedDiscovery`. Default 1. */
  readonly maxRebuilds: number;
  /** Child turns of one turn, over its whole life, at all depths. A further run of an agent fails with `max-children`. Default 16. */
  readonly maxChildren: number;
  /** How deep child turns may be nested. A run of an agent below it fails with `max-depth`. Default 1: agents run no other agents. */
  readonly maxDepth: number;
  /** Requests of child turns that are open at the same time, in one turn. A further request waits. Default 4. */
  readonly maxConcurrentRequests: number;
  /** The size of the record of a child turn after its turn has ended, in bytes. A larger record is shortened. Default 16,384. */
  readonly maxChildRecord: number;
  /** The time of one revert, in milliseconds. Default 5,000. */
  readonly revertTimeoutMs: number;
  /** Input and output tokens of the turn, as the provider reports them. Default: no limit. */
  readonly maxTokens: number;
  /** Output tokens of one round. The provider enforces this limit. Default: no limit is sent. */
  readonly maxTokensPerRound: number;
  /** The cost of the turn, in the currency that the provider reports. Default: no limit. */
  readonly maxCost: number;
  /** How many times a request is repeated that failed before a piece of its answer was visible. Default 3. */
  readonly maxRetries: number;
  /** The size of one image of the input, in bytes. Default 3,932,160: 5 MiB in base64, the lowest limit of the model APIs (Anthropic). */
  readonly maxImageBytes: number;
  /** The size of one text file of the input, in bytes. Default 500,000, which is about 125,000 tokens. */
  readonly maxTextFileBytes: number;
  /**
   * The total size of the files of one message, in bytes. Default 20,000,000: in base64 they fit into the 32 MB of a request to Anthropic.
   */
  readonly maxFilesBytes: number;
  /** Limits for the sum of all turns of the session. */
  readonly session: SessionLimits;
  /**
   * How a turn ends whose limit tripped. `fail` rolls it back, and `stop` commits its effects until then. `ask` asks the user for more in
   * `pendingExtension`; it stops the turn if the user gives no more, or does not answer within `confirmationTimeoutMs`. Default `fail`.
   */
  readonly onTrip: 'fail' | 'stop' | 'ask';
}

/**
 * The limits for the sum of all turns of a session, including turns off the path to the head. After one of them is used up, the session
 * sends no further request: each turn ends with `token-budget` or `cost-budget`, until the limit is raised.
 */
export interface SessionLimits {
  /** Input and output tokens, as the provider reports them. Default: no limit. */
  readonly maxTokens: number;
  /** The cost, in the currency that the provider reports. Default: no limit. */
  readonly maxCost: number;
}

type Given<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** The limits that a single turn may have of its own. A limit that is undefined counts as not given. */
export type GivenTurnLimits = Given<Omit<Limits, 'session'>>;

/** Some of the limits. A limit that is undefined counts as not given. */
export type GivenLimits = GivenTurnLimits & { readonly session?: Given<SessionLimits> | undefined };

/** The limits of a session that sets none. */
export const defaultLimits: Limits = {
  maxRounds: 8,
  maxToolCalls: 12,
  maxCallsPerAnswer: 128,
  maxConcurrentTools: 8,
  timeoutMs: 60_000,
  maxThinkingMs: 300_000,
  confirmationTimeoutMs: 45_000,
  toolTimeoutMs: 30_000,
  contextTimeoutMs: 2_000,
  hookTimeoutMs: 5_000,
  maxContinuations: 3,
  maxRebuilds: 1,
  maxConcurrentRequests: 4,
  maxChildRecord: 16_384,
  revertTimeoutMs: 5_000,
  maxTokens: Infinity,
  maxTokensPerRound: Infinity,
  maxCost: Infinity,
  maxChildren: 16,
  maxDepth: 1,
  maxRetries: 3,
  maxImageBytes: 3_932_160,
  maxTextFileBytes: 500_000,
  maxFilesBytes: 20_000_000,
  session: { maxTokens: Infinity, maxCost: Infinity },
  onTrip: 'fail',
};

/** Reads a limit that may be 0; the other limits must be above 0. */
const notNegative = reader(
  (value): value is number => typeof value === 'number' && value >= 0,
  'it is no number from 0 on',
);

const { session, ...turnLimits } = defaultLimits;

const turnShape = {
  ...Object.fromEntries(Object.keys(turnLimits).map((name) => [name, optional(positive)])),
  maxRetries: optional(notNegative),
  maxToolCalls: optional(notNegative),
  maxContinuations: optional(notNegative),
  maxRebuilds: optional(notNegative),
  maxChildren: optional(notNegative),
  maxDepth: optional(notNegative),
  onTrip: optional(oneOf('fail', 'stop', 'ask')),
};

const limitsShape = only({
  ...turnShape,
  session: optional(only({ maxTokens: optional(positive), maxCost: optional(positive) })),
});

/** Returns the default limits, overwritten by the given limits. Throws `invalid-configuration` with the name of the limit. */
export function resolveLimits(given: GivenLimits = {}): Limits {
  checked(limitsShape, given, 'The limits');
  return bounded({
    ...defaultLimits,
    ...defined(given),
    session: { ...session, ...defined(given.session ?? {}) },
  });
}

/** Returns the limits, overwritten by the limits of one turn. Throws as {@link resolveLimits} does. */
export function withTurnLimits(limits: Limits, given: GivenTurnLimits = {}): Limits {
  checked(only(turnShape), given, 'The limits of a turn');
  return bounded({ ...limits, ...defined(given) });
}

/** In development, warns about limits under which only the model and the user end a turn. */
function bounded(limits: Limits): Limits {
  const { maxRounds, maxToolCalls, timeoutMs, maxTokens, maxCost } = limits;
  if (Math.min(maxRounds, maxToolCalls, timeoutMs, maxTokens, maxCost) === Infinity)
    warn(
      'Every limit of a turn is lifted: only the model and the user end it. Keep one of maxRounds, timeoutMs, maxTokens and maxCost.',
    );
  return limits;
}

/** Returns the limits as JSON; limits of Infinity are left out. */
export function limitsData({ session, ...limits }: Limits): JsonObject {
  const together = finite(session);
  return { ...finite(limits), ...(Object.keys(together).length === 0 ? {} : { session: together }) };
}

function finite(limits: object): JsonObject {
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
