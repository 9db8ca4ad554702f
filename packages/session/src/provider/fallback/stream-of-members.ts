import { messageOf, toSessionError } from '../../errors/to-session-error.js';
import type { ProviderEvent } from '../provider-event.js';
import type { Provider, ProviderFallback } from '../provider.js';
import { interrupted } from './guarded-member.js';

/**
 * Streams the answer of the first provider of a fallback that gives one, for callers without a session. An answer that has begun is not begun
 * again. Throws the error of the last provider that was asked.
 *
 * @param ask returns the stream of a provider
 *
 * @example
 * const { fallback } = withFallback([first, second]);
 * for await (const event of streamOfMembers(fallback!, (member) => member.stream(request, signal), signal)) console.log(event.type);
 */
export async function* streamOfMembers(
  fallback: ProviderFallback,
  ask: (member: Provider) => AsyncIterable<ProviderEvent>,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  let place: number | null = fallback.first().place;
  while (place !== null) {
    let isVisible = false;
    try {
      for await (const event of ask(fallback.members[place]!)) {
        isVisible ||= event.type !== 'usage';
        yield event;
      }
      if (isVisible) return;
      throw interrupted();
    } catch (thrown) {
      const error = toSessionError(
        thrown,
        'provider-contract',
        `The model provider failed: ${messageOf(thrown)}`,
      );
      place = isVisible || signal.aborted ? null : fallback.after(place, error);
      if (place === null) throw error;
    }
  }
}
