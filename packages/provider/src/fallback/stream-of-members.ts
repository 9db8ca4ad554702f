import { addUsage, type UsageReport } from '../messages/usage-report.js';
import { messageOf, toSessionError } from '../errors/to-session-error.js';
import type { ProviderEvent } from '../port/provider-event.js';
import type { Provider, ProviderFallback } from '../port/provider.js';
import { interrupted } from './guarded-member.js';

/** Streams the answer of a fallback, see `ProviderFallback.stream`. */
export async function* streamOfMembers(
  fallback: Pick<ProviderFallback, 'members' | 'first' | 'after'>,
  ask: (member: Provider) => AsyncIterable<ProviderEvent>,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  let place: number | null = fallback.first().place;
  let before: UsageReport | null = null;
  while (place !== null) {
    let isVisible = false;
    let usage: UsageReport | null = before;
    try {
      for await (const event of ask(fallback.members[place]!)) {
        isVisible ||= event.type !== 'usage';
        if (event.type === 'usage') usage = addUsage(before, event.usage);
        yield event.type === 'usage' ? { ...event, usage: usage! } : event;
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
      before = usage;
    }
  }
}
