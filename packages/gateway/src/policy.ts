import type { ToolDefinition } from '@banister/provider';
import { checkFields } from './check-fields.js';
import { invalid } from './invalid.js';

/** A span of time in which an amount may be spent. It begins with the first answer. When it is over, the next answer begins a new span. */
export type Span = 'minute' | 'hour' | 'day' | 'month';

/** The milliseconds of each span; a month has 30 days. */
export const spanMs: { readonly [S in Span]: number } = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  month: 2_592_000_000,
};

/** The maximum that a user may spend in a span. */
export interface Ceiling {
  readonly amount: number;
  readonly per: Span;
}

/** The maximal cost for a user. It needs providers that report a cost: `withPrice`. */
export interface CostCeiling extends Ceiling {
  /** ISO 4217. Default `USD`. */
  readonly currency?: string | undefined;
  /** The cost that is reserved while an answer runs, and booked if its cost is not reported. Default: a hundredth of `amount`. */
  readonly reserve?: number | undefined;
}

/**
 * What a user may request. Set `role` and `tools` to state what the model is for, or `free` to allow everything.
 *
 * @example
 * const policy: Policy = { role: 'You help with a board of cards.', tools: ['board.*'], maxTokens: { amount: 200_000, per: 'day' } };
 */
export interface Policy {
  /** The system prompt of each request. The page's own prompt becomes a message of the user, and has no more weight than that. */
  readonly role?: string | undefined;
  /**
   * The tools that a request may offer: `board.add_card`, or `board.*` for all tools of a domain. A whole definition replaces the page's
   * definition of this name, and takes precedence over `board.*` in any order. A request with any other tool is refused.
   */
  readonly tools?: readonly (string | ToolDefinition)[] | undefined;
  /** If true: without `role` any role is allowed, and without `tools` any tools are allowed. */
  readonly free?: boolean | undefined;
  /** The aliases of models that the user may use. Default: all aliases of the gateway. */
  readonly models?: readonly string[] | undefined;
  /** The maximal number of output tokens of an answer. A request for more gets this number. Default: the number of the request. */
  readonly maxOutputTokens?: number | undefined;
  /** The maximal number of tokens, input and output. Default: unlimited. */
  readonly maxTokens?: Ceiling | undefined;
  /** The maximal cost. Default: unlimited. */
  readonly maxCost?: CostCeiling | undefined;
  /** The maximal number of requests to a model per minute. Each round of a turn is a request. Default 60. */
  readonly roundsPerMinute?: number | undefined;
  /** The maximal number of answers at the same time. Default 8. */
  readonly concurrent?: number | undefined;
  /** The maximal size of a request, in bytes. Default 16,777,216. */
  readonly maxBodyBytes?: number | undefined;
  /** The maximal duration of an answer, in milliseconds. Default 600,000. */
  readonly maxAnswerMs?: number | undefined;
  /**
   * Policies by the id of the agent that a request names. A request of an agent needs the permission of both policies, and its spending
   * counts for both. A request of an agent that is not listed is refused. Default: a request of any agent needs only the policy of the user.
   */
  readonly agents?: { readonly [id: string]: AgentPolicy } | undefined;
}

/**
 * What a request of one agent may hold and spend, in addition to the policy of its user. The policy of an agent only restricts the user further,
 * because a page may leave the name of the agent out. The `role` of the agent takes the place of the role of the user.
 */
export type AgentPolicy = Pick<
  Policy,
  'role' | 'tools' | 'models' | 'maxOutputTokens' | 'maxTokens' | 'maxCost' | 'roundsPerMinute'
>;

/** A policy with its defaults. */
export interface WholePolicy extends Policy {
  readonly roundsPerMinute: number;
  readonly concurrent: number;
  readonly maxBodyBytes: number;
  readonly maxAnswerMs: number;
}

const numbers = ['maxOutputTokens', 'roundsPerMinute', 'concurrent', 'maxBodyBytes', 'maxAnswerMs'] as const;
const ceilingFields = ['amount', 'per'];
const costFields = [...ceilingFields, 'currency', 'reserve'];
const agentFields = [
  'role',
  'tools',
  'models',
  'maxOutputTokens',
  'maxTokens',
  'maxCost',
  'roundsPerMinute',
] satisfies (keyof AgentPolicy)[];
const fields = [...agentFields, 'free', 'agents', 'concurrent', 'maxBodyBytes', 'maxAnswerMs'];

/** Returns a policy with its defaults. Throws `invalid-configuration` for an invalid policy, because a misspelt field would allow everything. */
export function wholePolicy(policy: Policy): WholePolicy {
  const { role, tools, free, agents = {} } = policy;
  checkPolicy('A policy', policy, fields);
  if (free !== true && (role === undefined || tools === undefined))
    throw invalid('A policy needs role and tools, or free: true, which pays for every purpose.');
  if (!isRecord(agents)) throw invalid('The agents of a policy are policies by the id of their agent.');
  for (const [id, own] of Object.entries(agents)) {
    const subject = `The policy of the agent "${id}"`;
    if (!isRecord(own)) throw invalid(`${subject} must be an object.`);
    checkPolicy(subject, own, agentFields);
  }
  const {
    roundsPerMinute = 60,
    concurrent = 8,
    maxBodyBytes = 16 * 1024 * 1024,
    maxAnswerMs = 600_000,
  } = policy;
  return { ...policy, roundsPerMinute, concurrent, maxBodyBytes, maxAnswerMs };
}

function checkPolicy(subject: string, policy: Policy, known: readonly string[]): void {
  const { role, tools, models, maxTokens, maxCost } = policy;
  checkFields(`${subject} has no field`, policy, known);
  if (role !== undefined && typeof role !== 'string') throw invalid('The role of a policy must be a string.');
  for (const list of [tools, models])
    if (list !== undefined && !Array.isArray(list)) throw invalid('Tools and models of a policy are lists.');
  for (const name of numbers) checkAmount(name, policy[name]);
  for (const [name, ceiling] of Object.entries({ maxTokens, maxCost })) {
    if (ceiling === undefined) continue;
    const { amount = NaN, per = '', reserve } = Object(ceiling) as Partial<CostCeiling>;
    checkFields(`${name} has no field`, Object(ceiling), name === 'maxCost' ? costFields : ceilingFields);
    checkAmount(`${name}.amount`, amount);
    checkAmount(`${name}.reserve`, reserve);
    if (!Object.hasOwn(spanMs, per))
      throw invalid(`${name}.per is one of ${Object.keys(spanMs).join(', ')}.`);
  }
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkAmount(name: string, value: number | undefined): void {
  if (value !== undefined && !(typeof value === 'number' && value > 0))
    throw invalid(`${name} of a policy must be a number above 0.`);
}
