import { isAgentSessionError, type ProviderEvent } from '@handrail/session/provider';
import { fieldsOf, noEvents, oneByOne } from '@handrail/wire';
import type { Answer } from './ask.js';
import { readChunks } from './read-chunks.js';

/** How long the end of a response is waited for when its answer is over, in milliseconds. */
const CLOSING_TIME = 250;

/**
 * The events of one answer. Ends in `finish` only on evidence that the answer is whole; a stream that merely stops yields
 * none, since it stops the same way whether the server was done or the connection was cut.
 */
export function fromStream(ask: () => Promise<Answer>): AsyncIterable<ProviderEvent> {
  return oneByOne(readAnswer(ask));
}

/** The same, with the events that came together. */
async function* readAnswer(
  ask: () => Promise<Answer>,
): AsyncGenerator<readonly ProviderEvent[], void, undefined> {
  const { stream, reader, watch, signal, toError } = await ask();
  let closing: ReturnType<typeof setTimeout> | undefined;
  try {
    try {
      for await (const chunks of readChunks(stream, watch)) {
        const events: ProviderEvent[] = [];
        try {
          for (const chunk of chunks) events.push(...reader.read(chunk));
        } finally {
          yield events; // what came before a failure counts
        }
        // Read to its end, the connection can be used again; but there are servers that keep it open.
        if (reader.isOver) closing ??= setTimeout(() => stream.controller.abort(), CLOSING_TIME);
      }
    } catch (thrown) {
      // What breaks after the last word took nothing away.
      const isWhole = reader.isOver || (reader.rawFinishReason !== '' && isTransportFailure(thrown));
      if (!isWhole) throw thrown;
    }
    signal.throwIfAborted();
    const done = watch?.done ?? false;
    if (!reader.hasRead && !done) throw noEvents(watch);
    yield reader.end(done);
  } catch (thrown) {
    throw toError(thrown);
  } finally {
    clearTimeout(closing);
  }
}

/** Whether it was the connection that failed or fell silent, and nothing that the server said. */
function isTransportFailure(thrown: unknown): boolean {
  if (isAgentSessionError(thrown)) return thrown.code === 'interrupted';
  // The client's own errors about status and content are told by their fields; a SyntaxError is an event that is no JSON.
  const { status, error } = fieldsOf(thrown);
  return status === undefined && error === undefined && !(thrown instanceof SyntaxError);
}
