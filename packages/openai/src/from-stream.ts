import { AgentSessionError, type ProviderEvent } from '@handrail/session/provider';
import type { Answer } from './ask.js';
import { fieldsOf } from './json-fields.js';
import { isTransportFailure } from './to-error.js';
import type { EventWatch } from './watch-events.js';

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
    .map(parsed)
    .find((chunk) => fieldsOf(chunk)['error']);
}

/** The line that the official client stumbled over; empty when it did not. */
function malformedLine(watch: EventWatch | undefined): string {
  return watch?.latestData().find((line) => !line.startsWith('[DONE]') && parsed(line) === undefined) ?? '';
}

/** undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A success without a single event: something else than the API answered, or nothing at all. */
function noEvents(watch: EventWatch | undefined): Error {
  const { contentType = '', beginning = '' } = watch ?? {};
  const error = fieldsOf(parsed(beginning))['error'];
  if (error) return Object.assign(new Error('an error with the status of a success'), { error });
  const details = { contentType, beginning };
  const kind = contentType === '' ? 'no content type' : contentType;
  if (beginning.trim() === '' || contentType.startsWith('text/event-stream')) {
    const what = beginning.trim() === '' ? 'an empty answer' : `no event, only "${beginning.trim()}"`;
    return new AgentSessionError('interrupted', `The server sent ${what} (${kind}).`, { details });
  }
  return new AgentSessionError(
    'server',
    `The server sent ${kind} instead of a stream of events. Is the base URL right? It begins: ${beginning.trim()}`,
    // A page means that the address is wrong; anything else may have been an accident.
    { details, ...(contentType.startsWith('text/html') ? { retry: 'after-action' } : {}) },
  );
}
