import type { ProviderEvent } from '@handrail/session/provider';
import { noEvents, oneByOne } from '@handrail/wire';
import type { MessageAnswer } from './ask-messages.js';
import { readMessages } from './read-messages.js';

/** How often a paused answer is continued. Each time the server has worked through its own limit of steps. */
const MOST_CONTINUATIONS = 5;

/**
 * The events of one answer, which may be several messages: the server pauses long work of its own tools, and goes on when
 * it gets the message back. Ends in `finish` only on evidence that the answer is whole; a stream that merely stops yields
 * none, since it stops the same way whether the server was done or the connection was cut.
 */
export function fromStream(ask: () => Promise<MessageAnswer>): AsyncIterable<ProviderEvent> {
  return oneByOne(readAnswer(ask));
}

/** The same, with the events that came together. */
async function* readAnswer(
  ask: () => Promise<MessageAnswer>,
): AsyncGenerator<readonly ProviderEvent[], void, undefined> {
  let answer = await ask();
  for (let continued = 0; ; continued++) {
    const { stream, reader, watch, signal, toError } = answer;
    try {
      for await (const batch of readMessages(stream, watch)) {
        const events: ProviderEvent[] = [];
        try {
          for (const event of batch) events.push(...reader.read(event));
        } finally {
          yield events; // what came before a failure counts
        }
        // The watch lets nothing pass after the end, and the connection can be used again. Without one, leave.
        if (reader.hasStopped && watch === undefined) break;
      }
      signal.throwIfAborted();
      if (!reader.hasRead) throw noEvents(watch);
    } catch (thrown) {
      // A connection that breaks after the last word took nothing away.
      if (!reader.hasStopped || signal.aborted) throw toError(thrown);
    }
    if (!reader.isPaused || continued === MOST_CONTINUATIONS) {
      yield reader.end();
      return;
    }
    answer = await answer.continue();
  }
}
