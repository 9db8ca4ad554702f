import type { ErrorCode } from '../errors/agent-session-error.js';
import { checked, refusal } from '../errors/checked.js';
import type { ModelIdentity } from '../messages/model-identity.js';
import { any, func, having, list, only, optional, orNull, positive, reader, text } from '../json/shape.js';
import { systemClock, type Clock } from '../port/clock.js';
import { identityOf } from '../port/identity-of.js';
import type { Provider, ProviderFallback, ProviderRequest, ToolDefinition } from '../port/provider.js';
import { CircuitBreaker, type BreakerOptions, type Failure } from './circuit-breaker.js';
import { guardedMember } from './guarded-member.js';
import { RateLimiter, type RateLimit } from './rate-limiter.js';
import { sharedCapabilities } from './shared-capabilities.js';
import { streamOfMembers } from './stream-of-members.js';

/** A paused provider, for the callback {@link FallbackOptions.onTrip}. */
export interface TrippedProvider extends Failure {
  readonly provider: ModelIdentity;
  /** The length of the pause in milliseconds. */
  readonly pauseMs: number;
}

/** Options of {@link withFallback}. */
export interface FallbackOptions {
  /**
   * The error codes after which the request goes to the next provider. The breaker counts the same codes. Default: `auth`, `interrupted`,
   * `model`, `network`, `overloaded`, `provider-contract`, `quota`, `rate-limit` and `server`. The code `refused`, for refused content, is
   * not among them, and neither are codes of requests that every provider would refuse.
   */
  readonly switchOn?: readonly ErrorCode[] | undefined;
  /**
   * Pauses a provider that failed several times in a row. Default: pauses it for 60 seconds after 5 failures. `false` never pauses a
   * provider.
   */
  readonly breaker?: BreakerOptions | false | undefined;
  /** The highest number of requests that are sent to each provider. A list has one limit for each provider, or null. Default: no limit. */
  readonly rateLimit?: RateLimit | readonly (RateLimit | null)[] | undefined;
  /** Called when a provider is paused. If it throws, the error is ignored. */
  readonly onTrip?: ((tripped: TrippedProvider) => void) | undefined;
  /** The clock for the pauses and the rate limit. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

const usualCodes: readonly ErrorCode[] = [
  'auth',
  'interrupted',
  'model',
  'network',
  'overloaded',
  'provider-contract',
  'quota',
  'rate-limit',
  'server',
];

const wholeNumber = reader(
  (value): value is number => Number.isInteger(value) && (value as number) > 0,
  'it is no whole number above 0',
);
const finite = reader(
  (value): value is number => typeof value === 'number' && value > 0 && Number.isFinite(value),
  'it is no number above 0, or not finite',
);
const rateLimitShape = only({ requests: wholeNumber, perMs: optional(finite) });
const isOff = reader((value) => value === false, 'it is neither false nor an object');
const breakerShape = only({
  failures: optional(wholeNumber),
  pauseMs: optional(positive),
  successes: optional(wholeNumber),
});

const optionsShape = only({
  switchOn: optional(list(text)),
  breaker: optional((value, at) => (typeof value === 'object' ? breakerShape : isOff)(value, at)),
  rateLimit: optional((value, at) =>
    (Array.isArray(value) ? list(orNull(rateLimitShape)) : rateLimitShape)(value, at),
  ),
  onTrip: optional(func),
  clock: optional(having({ now: func, schedule: func, monotonic: any })),
});

/**
 * Returns a provider that goes on with the next of several providers when one fails. A session first makes all attempts of the limit
 * `maxRetries` with one provider. If they fail, and no piece of the answer was visible, the next provider gets the request, and stays for
 * the rest of the turn. The operation `providerSwitched` names both providers, and `switches` in the record of the turn lists the change.
 *
 * The features are the features that all providers have, and the context window is the smallest. `id` and `model` are those of the first
 * provider. Prices belong to the providers: `withFallback([withPrice(first, …), withPrice(second, …)])`. All sessions with the returned
 * object share its breakers and its rate limits.
 *
 * @throws AgentSessionError `invalid-configuration` for invalid options, for an empty list, and for a provider with its own fallback
 *
 * @example
 * const provider = withFallback([openai({ model: 'gpt-5-mini' }), anthropic({ model: 'claude-sonnet-5' })]);
 * const session = createAgentSession({ provider });
 */
export function withFallback(providers: readonly Provider[], options: FallbackOptions = {}): Provider {
  check(providers, options);
  const { switchOn = usualCodes, clock = systemClock } = options;
  const counts = (code: ErrorCode) => switchOn.includes(code);
  const permitted = new WeakSet<ProviderRequest>();
  const guarded = providers.map((provider, place) => {
    const breaker = breakerOf(provider, options, clock);
    const limit = Array.isArray(options.rateLimit) ? options.rateLimit[place] : options.rateLimit;
    const limiter = limit ? new RateLimiter(limit as RateLimit, clock) : null;
    return { member: guardedMember(provider, { breaker, limiter, permitted, counts }), breaker, limiter };
  });
  const members = guarded.map(({ member }) => member);
  const restOf = (place: number) => guarded[place]?.breaker?.restMs ?? 0;
  const places = providers.map((_, place) => place);

  const fallback: ProviderFallback = {
    members,
    first() {
      const free = places.find((place) => restOf(place) === 0);
      const place = free ?? places.reduce((best, one) => (restOf(one) < restOf(best) ? one : best));
      return { place, because: place === 0 ? null : (guarded[0]?.breaker?.lastFailure ?? null) };
    },
    after: (place, { code }) =>
      (counts(code) ? places.find((one) => one > place && restOf(one) === 0) : undefined) ?? null,
    permit(place, request, signal) {
      const taken = guarded[place]?.limiter?.take(signal);
      return taken?.then(() => void permitted.add(request)) ?? null;
    },
    stream: (ask, signal) => streamOfMembers(fallback, ask, signal),
  };
  const [{ id, model }] = providers as readonly [Provider];
  return {
    id,
    model,
    get capabilities() {
      return sharedCapabilities(providers.map(({ capabilities }) => capabilities));
    },
    stream: (request, signal) => fallback.stream((member) => member.stream(request, signal), signal),
    validateTools: (tools) => warningsOf(providers, tools),
    fallback,
  };
}

function check(providers: readonly Provider[], options: FallbackOptions): void {
  checked(list(having({ id: text, model: text, stream: func })), providers, 'The providers of a fallback');
  if (providers.length === 0) throw refusal('A fallback needs at least one provider.');
  if (providers.some(({ fallback }) => fallback !== undefined))
    throw refusal('A provider of a fallback has a fallback of its own; list its providers instead.');
  checked(optionsShape, options, 'The options of a fallback');
  if (Array.isArray(options.rateLimit) && options.rateLimit.length !== providers.length)
    throw refusal('The list rateLimit has one limit, or null, for each provider.');
}

function breakerOf(
  provider: Provider,
  { breaker = {}, onTrip }: FallbackOptions,
  clock: Clock,
): CircuitBreaker | null {
  if (breaker === false) return null;
  const { failures = 5, pauseMs = 60_000, successes = 2 } = breaker;
  return new CircuitBreaker({ failures, pauseMs, successes }, clock, (failure) => {
    try {
      onTrip?.({ provider: identityOf(provider), pauseMs, ...failure });
    } catch {
      // Ignored: the callback only observes.
    }
  });
}

async function warningsOf(providers: readonly Provider[], tools: readonly ToolDefinition[]) {
  const each = await Promise.all(
    providers.map(async (provider) => (await provider.validateTools?.(tools)) ?? []),
  );
  return each.flatMap((warnings, place) => {
    const { id, model } = providers[place]!;
    return warnings.map(({ tool, message }) => ({ tool, message: `${id} ${model}: ${message}` }));
  });
}
