import { isAgentSessionError, AgentSessionError, type ErrorCode } from '../errors/agent-session-error.js';
import { messageOf } from '../errors/to-session-error.js';
import type { ProviderEvent } from '../port/provider-event.js';
import type { Provider, ProviderRequest } from '../port/provider.js';
import { withStream } from '../port/with-stream.js';
import type { CircuitBreaker } from './circuit-breaker.js';
import { cancelled, type RateLimiter } from './rate-limiter.js';

interface Guards {
  readonly breaker: CircuitBreaker | null;
  readonly limiter: RateLimiter | null;
  /** The requests that have already waited for the rate limit. */
  readonly permitted: WeakSet<ProviderRequest>;
  /** Returns true if an error with this code counts as a failure of the provider. */
  counts(code: ErrorCode): boolean;
}

/** Returns a provider whose requests wait for its rate limit, and whose breaker counts its failures. */
export function guardedMember(provider: Provider, { breaker, limiter, permitted, counts }: Guards): Provider {
  async function* stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent, void> {
    if (limiter !== null && !permitted.delete(request)) await limiter.take(signal);
    // The signal may have fired meanwhile. Then nothing is sent, and no trial of the breaker begins.
    if (signal.aborted) throw cancelled(signal);
    const end = breaker?.begin() ?? (() => {});
    // For the breaker, the request is over when its signal fires, even if the provider ignores the signal.
    const giveUp = () => end();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      let isWhole = false;
      for await (const event of provider.stream(request, signal)) {
        isWhole ||= event?.type === 'finish';
        yield event;
      }
      end(isWhole ? null : failureOf(interrupted(), counts));
    } catch (thrown) {
      end(signal.aborted ? undefined : failureOf(thrown, counts));
      throw thrown;
    } finally {
      end();
      signal.removeEventListener('abort', giveUp);
    }
  }
  return withStream(provider, stream);
}

/** Returns the failure for the breaker; undefined if the error does not count as a failure of the provider. */
function failureOf(thrown: unknown, counts: Guards['counts']): AgentSessionError | undefined {
  const error = isAgentSessionError(thrown)
    ? thrown
    : new AgentSessionError('provider-contract', `The model provider failed: ${messageOf(thrown)}`);
  return counts(error.code) ? error : undefined;
}

/** Returns the error of a stream without a `finish` event. */
export function interrupted(): AgentSessionError {
  return new AgentSessionError(
    'interrupted',
    'The connection to the model ended before its answer was whole.',
  );
}
