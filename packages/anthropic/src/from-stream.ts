import type { ProviderEvent } from '@handrail/session/provider';
import { malformedLine, noEvents } from '@handrail/wire';
import type { MessageAnswer } from './ask-messages.js';

/** How often a paused answer is continued. Each time the server has worked through its own limit of steps. */
const MOST_CONTINUATIONS = 5;

/**
 * The events of one answer, which may be several messages: the server pauses long work of its own tools, and goes on when
 * it gets the message back. Ends in `finish` only on evidence that the answer is whole; a stream that merely stops yields
 * none, since the official client ends its loop the same way whether the server was done, the connection was cut, or the
 * signal fired.
 */
export async function* fromStream(
  ask: () => Promise<MessageAnswer>,
): AsyncGenerator<ProviderEvent, void, undefined> {
  let answer = await ask();
  for (let continued = 0; ; continued++) {
    const { events, reader, watch, signal, toError } = answer;
    try {
      for await (const event of events) {
        for (const one of reader.read(event)) yield one;
        // The watch lets nothing pass after the end, and the connection can be used again. Without one, leave.
        if (reader.hasStopped && watch === undefined) break;
      }
      signal.throwIfAborted();
      if (!reader.hasRead) throw noEvents(watch);
    } catch (thrown) {
      // A connection that breaks after the last word took nothing away.
      if (!reader.hasStopped || signal.aborted) throw toError(thrown, malformedLine(watch));
    }
    if (!reader.isPaused || continued === MOST_CONTINUATIONS) {
      for (const one of reader.end()) yield one;
      return;
    }
    answer = await answer.continue();
  }
}
