import { isAgentSessionError, type ProviderEvent } from '@handrail/session/provider';
import { fieldsOf, jsonIn, malformedLine, noEvents, type EventWatch } from '@handrail/wire';
import type { Answer } from './ask.js';

/** How long the end of a response is waited for when its answer is over, in milliseconds. */
const CLOSING_TIME = 250;

/**
 * The events of one answer. Ends in `finish` only on evidence that the answer is whole; a stream that merely stops yields
 * none, since the official client ends its loop the same way whether the server was done, the connection was cut, or the
 * signal fired.
 */
export async function* fromStream(
  ask: () => Promise<Answer>,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { stream, reader, watch, signal, toError } = await ask();
  let closing: ReturnType<typeof setTimeout> | undefined;
  try {
    try {
      for await (const chunk of stream) {
        for (const event of reader.read(chunk)) yield event;
        // Read to its end, the connection can be used again; but there are servers that keep it open.
        if (reader.isOver) closing ??= setTimeout(() => stream.controller.abort(), CLOSING_TIME);
      }
    } catch (thrown) {
      // The client throws away what else was in the chunk, its token counts for one.
      const { isOver } = reader;
      const chunk = chunkWithError(watch);
      if (chunk) for (const event of reader.read(chunk)) yield event;
      // What breaks after the last word took nothing away.
      const isWhole = isOver || (reader.rawFinishReason !== '' && isTransportFailure(thrown));
      if (!isWhole) throw thrown;
    }
    signal.throwIfAborted();
    const done = watch?.done ?? false;
    if (!reader.hasRead && !done) throw noEvents(watch);
    for (const event of reader.end(done)) yield event;
  } catch (thrown) {
    throw toError(thrown, malformedLine(watch));
  } finally {
    clearTimeout(closing);
  }
}

function chunkWithError(watch: EventWatch | undefined): unknown {
  return watch
    ?.latestData()
    .map(jsonIn)
    .find((chunk) => fieldsOf(chunk)['error']);
}

/** Whether it was the connection that failed or fell silent, and nothing that the server said. */
function isTransportFailure(thrown: unknown): boolean {
  if (isAgentSessionError(thrown)) return thrown.code === 'interrupted';
  // The client's own errors about status and content are told by their fields; a SyntaxError is a line that is no JSON.
  const { status, error } = fieldsOf(thrown);
  return status === undefined && error === undefined && !(thrown instanceof SyntaxError);
}
