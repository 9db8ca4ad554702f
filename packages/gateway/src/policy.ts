import type { ToolDefinition } from '@banister/session/provider';
import { checkFields } from './check-fields.js';
import { invalid } from './invalid.js';

/** A span of time in which an amount may be spent; it begins with the first answer, and again when it is over. */
export type Span = 'minute' | 'hour' | 'day' | 'month';

/** The milliseconds of each span; a month has 30 days. */
export const spanMs: { readonly [S in Span]: number } = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  month: 2_592_000_000,
};

/** The most that a user may spend in a span. */
export interface Ceiling {
  readonly amount: number;
  readonly per: Span;
}

/** The most money that a user may spend. It needs providers that report a cost: `withPrice`. */
export interface CostCeiling extends Ceiling {
  /** ISO 4217. Default `USD`. */
  readonly currency?: string | undefined;
  /** The cost that an answer counts with while it runs, and for good where no cost of it is reported. Default: a hundredth of `amount`. */
  readonly reserve?: number | undefined;
}

/**
 * The requests that a user may make. Either `role` and `tools` say what the model is for, or `free` states that it is for everything.
 *
 * @example
 * const policy: Policy = { role: 'You help with a board of cards.', tools: ['board.*'], maxTokens: { amount: 200_000, per: 'day' } };
 */
export interface Policy {
  /** The system prompt of each request. That of the page is then a message of the user, so that it has no more weight than one. */
  readonly role?: string | undefined;
  /**
   * The tools that a request may offer: `board.add_card`, or `board.*` for those of a domain. A whole definition replaces that of the page,
   * which then decides the name alone; it counts before `board.*`, in any order. A request with another tool is refused.
   */
  readonly tools?: readonly (string | ToolDefinition)[] | undefined;
  /** True for users who may have any role where `role` is absent, and any tools where `tools` is absent: a model for every purpose. */
  readonly free?: boolean | undefined;
  /** The aliases of models that the user may use. Default: all of the gateway. */
  readonly models?: readonly string[] | undefined;
  /** The most tokens of one answer; a request for more gets this number. Default: that of the request. */
  readonly maxOutputTokens?: number | undefined;
  /** The most tokens, input and output. Default: any number. */
  readonly maxTokens?: Ceiling | undefined;
  /** The most money. Default: any amount. */
  readonly maxCost?: CostCeiling | undefined;
  /** Requests to a model in a minute. A turn makes one for each of its rounds. Default 60. */
  readonly roundsPerMinute?: number | undefined;
  /** Answers at once. Default 8. */
  readonly concurrent?: number | undefined;
  /** Bytes of the longest request. Default 16,777,216. */
  readonly maxBodyBytes?: number | undefined;
  /** Milliseconds of the longest answer. Default 600,000. */
  readonly maxAnswerMs?: number | undefined;
}

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
const fields = ['role', 'tools', 'free', 'models', 'maxTokens', 'maxCost', ...numbers];

/** Returns a policy with its defaults. Throws `invalid-configuration` for one that cannot be meant, since a misspelt field would permit all. */
export function wholePolicy(policy: Policy): WholePolicy {
  const { role, tools, free, models, maxTokens, maxCost } = policy;
  checkFields('A policy has no field', policy, fields);
  if (free !== true && (role === undefined || tools === undefined))
    throw invalid('A policy needs role and tools, or free: true, which pays for every purpose.');
  if (role !== undefined && typeof role !== 'string') throw invalid('The role of a policy is a text.');
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
  const {
    roundsPerMinute = 60,
    concurrent = 8,
    maxBodyBytes = 16 * 1024 * 1024,
    maxAnswerMs = 600_000,
  } = policy;
  return { ...policy, roundsPerMinute, concurrent, maxBodyBytes, maxAnswerMs };
}

function checkAmount(name: string, value: number | undefined): void {
  if (value !== undefined && !(typeof value === 'number' && value > 0))
    throw invalid(`${name} of a policy must be a number above 0.`);
}
